// A role that behaves alike in both branches need not be told, whatever 'notify' says.
#include <chorex.h>

choreography(third, (Alice, Bob, Carol),
    def run(Alice.int n) -> Carol.int {
        Bob.(1) ~> Carol.c;
        if (Alice.(n > 0)) notify(Bob) {
            Alice.n ~> Bob.x;
            Bob.use(x);
        } else {
            Bob.(2) ~> Alice._;
        }
        Bob.(3) ~> Carol.d;
        return Carol.(c + d);
    }
)
