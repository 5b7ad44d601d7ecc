// -D of the command line holds in local C.
//! flags: -DLIMIT=undeclared_limit
#include <chorex.h>

#ifndef LIMIT
#define LIMIT 5
#endif

choreography(flags, (Alice, Bob),
    def run(Alice.int n) {
        if (Alice.(n > LIMIT)) { //! error: 'undeclared_limit'
            Alice.n ~> Bob._;
        }
    }
)
