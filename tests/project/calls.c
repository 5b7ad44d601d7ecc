// A call concerns the roles that have a part in the callee; arguments and results are each role's own.
#include <chorex.h>

choreography(called, (Alice, Bob, Carol),
    def run(Alice.int n) -> Bob.int, Carol.int {
        Alice.a, Bob.b = both(Alice.n, Bob.(3));
        Carol.c = only(Carol.(5));
        Alice.a ~> Bob._;
        return Bob.b, Carol.c;
    }
    def both(Alice.int n, Bob.int k) -> Alice.int, Bob.int {
        Alice.n ~> Bob.m;
        return Alice.(n + 1), Bob.(m * k);
    }
    def only(Carol.int c) -> Carol.int {
        return Carol.(c * c);
    }
)
