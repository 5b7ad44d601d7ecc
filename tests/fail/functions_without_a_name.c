// A function that is an argument has a name.
#include <chorex.h>

choreography(lambdas, (Alice, Bob),
    def apply(f(Alice.int) -> Bob.int, Alice.int n) -> Bob.int {
        return f(Alice.n);
    }
    def run(Alice.int n) {
        Bob.x = apply(fn x -> x + 1, Alice.n); //! error: no functions without a name
        Bob.x = apply(fn x, y -> x + y, Alice.n); //! error: no functions without a name
        Bob.x = apply(^(int x) { return x + 1; }, Alice.n); //! error: no functions without a name
        Bob.x = apply(^{ Alice.x ~> Bob.y; }, Alice.n); //! error: no functions without a name
        Bob.x = apply([](int x) { return x + 1; }, Alice.n); //! error: no functions without a name
        Bob.x = apply([&] { return 1; }, Alice.n); //! error: no functions without a name
        Bob.x = apply((Alice.int x) => { Alice.x ~> Bob.y; return Bob.y; }, Alice.n); //! error: no functions without
        Bob.x = apply(def (Alice.int x) -> Bob.int { Alice.x ~> Bob.y; return Bob.y; }, Alice.n); //! error: no functions
        Bob.x = apply(lambda x: x + 1, Alice.n); //! error: no functions without a name
        Bob.x = apply(|x| x + 1, Alice.n); //! error: no functions without a name
        Alice.g = fn x -> x + 1; //! error: C has no functions without a name
        Alice.h = [](int x) { return x + 1; }; //! error: C has no functions without a name
        f = fn x -> x + 1; //! error: no functions without a name
        x = fn(3); //! error: local C must say whose it is
    }
)
