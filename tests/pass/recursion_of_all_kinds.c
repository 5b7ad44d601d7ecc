// Function parameters and role parameters that change places in recursion: the number of instances is finite.
#include <chorex.h>

choreography(recursion, (Alice, Bob, Carol),
    def run(Alice.int n) -> Bob.int {
        turn[Alice, Bob, Carol](Alice.n);
        return walk(step_a, step_b, Alice.n);
    }
    def turn[X, Y, Z](X.int n) {
        if (X.(n > 0)) {
            X.(n - 1) ~> Y.m;
            turn[Y, Z, X](Y.m);
        }
    }
    def walk(f(Alice.int) -> Bob.int, g(Alice.int) -> Bob.int, Alice.int n) -> Bob.int {
        if (Alice.(n == 0)) {
            return f(Alice.n);
        }
        return walk(g, f, Alice.(n - 1));
    }
    def step_a(Alice.int n) -> Bob.int { Alice.n ~> Bob.m; return Bob.m; }
    def step_b(Alice.int n) -> Bob.int { Alice.(n + 1) ~> Bob.m; return Bob.m; }
)
