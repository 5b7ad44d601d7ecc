// Who must know is found through calls and recursion.
#include <chorex.h>

choreography(through, (Alice, Bob, Carol, Dave),
    def run(Alice.int n) {
        if (Alice.(n > 0)) {
            first(Alice.n);
        }
        Dave.last();
    }
    def first(Alice.int n) {
        Alice.n ~> Bob.m;
        second(Bob.m);
    }
    def second(Bob.int m) {
        if (Bob.(m > 3)) {
            Bob.m ~> Carol._;
            second(Bob.(m - 1));
        }
    }
)
