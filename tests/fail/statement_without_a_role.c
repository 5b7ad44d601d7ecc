// Local C must say whose it is.
#include <chorex.h>

choreography(roleless, (Alice, Bob),
    def run(Alice.int n) {
        int x = 4; //! error:
        n ~> Bob.y; //! error:
        x = n + 1; //! error:
        Alice.n ~> Bob; //! error:
        Alice.n; //! error:
        helper(3); //! error: an argument must say whose it is
        Alice.n ~> Bob._;
    }
    def helper(Alice.int n) {
        Alice.n ~> Bob._;
    }
)
