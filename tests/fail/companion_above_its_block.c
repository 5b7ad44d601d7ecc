// A companion is included below the choreography that it is made from.
#include <chorex.h>
#include "above.Alice.chor.h" //! error: a companion of 'above' is included above the choreography

choreography(above, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n ~> Bob._;
    }
)
