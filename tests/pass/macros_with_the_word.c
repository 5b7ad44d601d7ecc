// Macros that would make a choreography but are not used, or are used where `#if` leaves them out, do no harm.
#include <chorex.h>

#define NEVER_USED(name) choreography(name, (A), def run() { A.f(); })
#define MAKE(arguments) choreography arguments

#ifdef NOT_DEFINED
MAKE((made, (Alice, Bob), nonsense))
#endif

choreography(itself, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n ~> Bob._;
    }
)
