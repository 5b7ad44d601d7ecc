// A choreography in a header that is included with quotes, next to one of the file's own.
#include "header_with_a_block.h"

choreography(own, (Alice, Bob),
    def run(Alice.price p) -> Bob.price {
        Alice.p ~> Bob.q;
        return Bob.q;
    }
)
