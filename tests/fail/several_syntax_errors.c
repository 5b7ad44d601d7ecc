// The parser goes on after an error: one run shows them all.
#include <chorex.h>

choreography(syntax, (Alice, Bob),
    def one(Alice.int n) {
        Alice.n ~> ; //! error:
        Alice.n ~> Bob._;
        ~> Bob.x; //! error:
        Alice.n ~> Bob.x y z; //! error:
        Bob.use(1);
    }
    def two(Alice.int n) -> { //! error:
        Alice.n ~> Bob._;
    }
    def three(Alice.int n) {
        if Alice.n { //! error:
            Alice.n ~> Bob._;
        }
        Alice.n ~> Bob._;
        return Alice.; //! error:
    }
)
