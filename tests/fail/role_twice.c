// Roles, definitions and parameters must have names of their own.
#include <chorex.h>

choreography(twice, (Alice, Bob, Alice), //! error: 'Alice'
    def run(Alice.int x) {
        Alice.x ~> Bob._;
    }
)
