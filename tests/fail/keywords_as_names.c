// C's keywords are no names.
#include <chorex.h>

choreography(keywords, (Alice, Bob, while), //! error: 'while'
    def run(Alice.int n) {
        Alice.n ~> Bob._;
    }
)
