// A role set has distinct roles.
#include <chorex.h>

choreography(settwice, (Alice, Bob, Carol),
    def run(Alice.int n) {
        Alice.n ~> {Bob, Carol, Bob}.x; //! error: Bob
        relay[Alice, Alice](Alice.n); //! error: Alice
    }
    def relay[From, To](From.int n) {
        From.n ~> To._;
    }
)
