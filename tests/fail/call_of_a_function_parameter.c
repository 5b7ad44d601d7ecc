// A call through a function parameter is checked against the parameter's signature.
#include <chorex.h>

choreography(paramcall, (Alice, Bob),
    def run(Alice.int a) -> Bob.int {
        Bob.b = apply(good, Alice.a, Bob.(1));
        return Bob.b;
    }
    def apply(f(Alice.int) -> Bob.int, Alice.int x, Bob.int y) -> Bob.int {
        Bob.one = f(Bob.y); //! error: 'f' wants Alice's int here, this is Bob's
        Bob.two = f(Alice.x, Alice.x); //! error: 'f' takes 1 argument
        Alice.three = f(Alice.x); //! error: has no result at Alice
        return f(Alice.x);
    }
    def good(Alice.int x) -> Bob.int { Alice.x ~> Bob.y; return Bob.y; }
)
