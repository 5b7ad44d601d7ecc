// A choreographic call's result is bound on its own, not used inside an expression.
#include <chorex.h>

choreography(inexpr, (Alice, Bob),
    def run(Alice.int n) -> Alice.int {
        Alice.x = square(Alice.n) + 1; //! error: 'square'
        Alice.x = square(Alice.n);
        return Alice.x;
    }
    def square(Alice.int n) -> Alice.int {
        Alice.n ~> Bob.m;
        Bob.(m * m) ~> Alice.r;
        return Alice.r;
    }
)
