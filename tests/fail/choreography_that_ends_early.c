// A ')' too many at the end of a definition ends the choreography: what follows would be taken for C.
#include <chorex.h>

choreography(early, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n ~> Bob.x;
    }) //! error: this ')' ends the choreography, but more of it follows
    def other(Alice.int n) {
        Alice.n ~> Bob.x;
    }
)
