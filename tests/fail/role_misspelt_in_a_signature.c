// A role that is misspelt in a parameter, in a result or in the signature of a function parameter is reported there, and
// nothing more is said about the calls.
#include <chorex.h>

choreography(parameters, (Alice, Bob),
    def add(Alise.int x, Bob.int y) {                          //! error: no role 'Alise'
        Bob.y ~> Alice.z;
        Alice.use(z);
    }
    def both({Alice, Bbo}.int x) {                             //! error: no role 'Bbo'
        Bob.use(3);
    }
    def run(Alice.int n, Bob.int m) {
        add(Alice.n, Bob.m);
        add(Alice.n, Bob.m);
        both(Alice.n);
        add(Alice.nn, Bob.m);                                  //! error: Alice has no variable 'nn' here
    }
)

choreography(results, (Alice, Bob),
    def twice(Bob.int x) -> Alise.int {                        //! error: no role 'Alise'
        Bob.(2 * x) ~> Alice.y;
        return Alice.y;
    }
    def forgets(Bob.int x) -> Alise.int {                      //! error: no role 'Alise'
        Bob.use(x);
    }
    def passes(Bob.int x) -> (Alice.int, Bobb.int) {           //! error: no role 'Bobb'
        return twice(Bob.x);
    }
    def run(Bob.int n) -> Alice.int {
        Alice.m = twice(Bob.n);
        forgets(Bob.n);
        Alice.(m + 1) ~> Bob.k;
        return twice(Bob.k);
    }
)

choreography(functions, (Alice, Bob),
    def apply(f(Alise.int) -> Bob.int, Alice.int x) -> Bob.int {    //! error: no role 'Alise'
        Bob.y = f(Alice.x);
        return Bob.y;
    }
    def relay(Alice.int x) -> Bob.int {
        Alice.x ~> Bob.y;
        return Bob.y;
    }
    def wrong(Alice.int x) -> Bop.int {                        //! error: no role 'Bop'
        Alice.x ~> Bob.y;
        return Bob.y;
    }
    def call(f(Alice.int) -> Bob.int, Alice.int x) -> Bob.int {
        Bob.y = f(Alice.x);
        return Bob.y;
    }
    def run(Alice.int n) -> Bob.int {
        Bob.a = apply(relay, Alice.n);
        Bob.b = call(wrong, Alice.n);
        return Bob.(a + b);
    }
)
