// A function argument must have the signature that the parameter says.
#include <chorex.h>

choreography(signature, (Alice, Bob),
    def run(Alice.int a) -> Bob.int {
        Bob.b = apply(at_bob, Alice.a); //! error: 'at_bob' does not fit the parameter 'f': its argument 1 is another role's
        Bob.b = apply(no_result, Alice.a); //! error: it has 0 results, not 1
        Bob.b = apply(two, Alice.a); //! error: it takes 2 arguments, not 1
        Bob.b = apply(pair, Alice.a); //! error: its result 1 has 2 values, not 1
        Bob.b = apply(back, Alice.a); //! error: its result 1 is another role's
        Bob.b = apply(Alice.a, Alice.a); //! error: function
        Bob.b = apply(good, good); //! error: 'good'
        Bob.b = apply(good, Alice.a);
        return Bob.b;
    }
    def apply(f(Alice.int) -> Bob.int, Alice.int x) -> Bob.int {
        return f(Alice.x);
    }
    def good(Alice.int x) -> Bob.int { Alice.x ~> Bob.y; return Bob.y; }
    def at_bob(Bob.int x) -> Bob.int { return Bob.x; }
    def no_result(Alice.int x) { Alice.x ~> Bob._; }
    def pair(Alice.int x) -> Bob.{int, int} { Alice.x ~> Bob.y; return Bob.{y, y}; }
    def back(Alice.int x) -> Alice.int { Alice.x ~> Bob._; return Alice.x; }
    def two(Alice.int x, Alice.int y) -> Bob.int { Alice.(x + y) ~> Bob.z; return Bob.z; }
)
