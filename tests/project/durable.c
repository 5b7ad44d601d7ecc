// All roles enter and leave a durable block, also those that do nothing in it, and are told of the choices on the way there.
#include <chorex.h>

choreography(keep, (Alice, Bob, Carol),
    def run(Alice.int n) {
        Alice.n ~> {Bob, Carol}.n;
        if (Alice.(n > 0)) {
            checkpoint durable retry 2 within 5s {
                Alice.n ~> Bob._;
            } rescue (fault) {
                Bob.use(fault.kind);
            }
        }
        checkpoint durable while (Bob.(n > 0)) {
            Bob.n = n - 1;
        }
        Carol.use(n);
    }
)
