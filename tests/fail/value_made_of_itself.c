// A variable that is bound here has no value yet that its own could be made of.
#include <chorex.h>

choreography(itself, (Alice, Bob),
    def run(Alice.int n) {
        Alice.int m = m + n; //! error: Alice has no variable 'm' here
        Alice.k = k + n; //! error: Alice has no variable 'k' here
        Alice.(m + k) ~> Bob._;
    }
)
