// else if, as in C.
#include <chorex.h>

choreography(chain, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        if (Alice.(n == 0)) {
            return Bob.(10);
        } else if (Alice.(n == 1)) {
            return Bob.(20);
        } else if (Bob.random()) {
            return Bob.(30);
        } else {
            Alice.n ~> Bob.m;
            return Bob.m;
        }
    }
)
