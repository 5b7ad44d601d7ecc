// No preprocessor directives inside a block.
#include <chorex.h>

choreography(directive, (Alice, Bob),
    def run(Alice.int n) {
#ifdef FAST //! error: preprocessor
        Alice.n ~> Bob._;
#endif
    }
)
