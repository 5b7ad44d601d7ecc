// A rescue, an else and a case belong to something.
#include <chorex.h>

choreography(alone, (Alice, Bob),
    def one(Alice.int n) {
        Alice.n ~> Bob._;
        rescue { //! error: rescue
            Bob.use(1);
        }
    }
    def two(Alice.int n) {
        Alice.n ~> Bob._;
        else { //! error: else
            Bob.use(1);
        }
    }
)
