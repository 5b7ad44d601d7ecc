// A call in tail position, with results and without, and one that is none.
#include <chorex.h>

choreography(tails, (Alice, Bob),
    def count(Alice.int n, Bob.int sum) -> Bob.int {
        if (Alice.(n == 0)) {
            return Bob.sum;
        }
        Alice.n ~> Bob.m;
        return count(Alice.(n - 1), Bob.(sum + m));
    }
    def again(Alice.int n) {
        if (Alice.(n > 0)) {
            Alice.n ~> Bob._;
            again(Alice.(n - 1));
        }
    }
    def deep(Alice.int n) -> Bob.int {
        if (Alice.(n == 0)) {
            return Bob.(0);
        }
        Bob.int rest = deep(Alice.(n - 1));
        return Bob.(rest + 1);
    }
)
