// A block inside #if that holds is read with its macros; the other one is not looked at.
//! flags: -DWIDE=1
#include <chorex.h>

#if WIDE
typedef long number;
#define START 1L
choreography(width, (Alice, Bob),
    def run() -> Bob.number {
        Alice.(START) ~> Bob.n;
        return Bob.n;
    }
)
#else
choreography(width, (Alice, Bob, Carol),
    def run() -> Carol.nothing_like_this {
    }
)
#endif
