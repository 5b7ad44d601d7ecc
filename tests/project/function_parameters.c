// One instance for each choice of function arguments; calls through parameters are direct.
#include <chorex.h>

choreography(higher, (Alice, Bob, Carol),
    def run(Alice.int n) -> Bob.int {
        Bob.x = apply(straight, Alice.n);
        Bob.y = apply(around, Alice.n);
        return Bob.(x + y);
    }
    def apply(f(Alice.int) -> Bob.int, Alice.int n) -> Bob.int {
        return f(Alice.n);
    }
    def straight(Alice.int n) -> Bob.int { Alice.n ~> Bob.m; return Bob.m; }
    def around(Alice.int n) -> Bob.int { Alice.n ~> Carol.c; Carol.c ~> Bob.m; return Bob.m; }
)
