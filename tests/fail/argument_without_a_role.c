// Arguments of choreographic functions are located.
#include <chorex.h>

choreography(unlocated, (Alice, Bob),
    def run(Alice.int n) {
        helper(n); //! error: 'n'
        helper(Alice.n);
    }
    def helper(Alice.int n) {
        Alice.n ~> Bob._;
    }
)
