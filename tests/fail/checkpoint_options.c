// Times need a unit that exists, counts are positive, options stand once.
#include <chorex.h>

choreography(options, (Alice, Bob),
    def run(Alice.int n) {
        checkpoint within 5 weeks { //! error:
            Alice.n ~> Bob._;
        } rescue {
            Bob.use(1);
        }
        checkpoint within 0ms { //! error:
            Alice.n ~> Bob._;
        } rescue {
            Bob.use(1);
        }
        checkpoint retry { //! error:
            Alice.n ~> Bob._;
        } rescue {
            Bob.use(1);
        }
        checkpoint retry 2 retry 3 { //! error: retry
            Alice.n ~> Bob._;
        } rescue {
            Bob.use(1);
        }
        Alice.n ~> Bob._;
    }
)
