// Two choreographies of one name.
#include <chorex.h>

choreography(same, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n ~> Bob._;
    }
)

choreography(same, (Alice, Bob), //! error: 'same'
    def run(Alice.int n) {
        Alice.n ~> Bob._;
    }
)
