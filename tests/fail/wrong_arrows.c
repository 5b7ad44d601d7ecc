// Arrows of other notations: the error suggests '~>'.
#include <chorex.h>

choreography(arrows, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n -> Bob.a; //! error: ~>
        Alice.n => Bob.b; //! error: ~>
        Alice.n > Bob.c; //! error: ~>
        Alice.n ~> Bob._;
    }
)
