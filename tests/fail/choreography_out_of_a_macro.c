// A choreography that another macro makes is an error where the macro is used: its text is nowhere in the file.
#include <chorex.h>

#define MAKE(arguments) choreography arguments
#define OTHER_NAME choreography
#define NEVER_USED(name) choreography(name, (A), def run() { A.f(); })
#define TEXT "choreography"

#if 0
OTHER_NAME(disabled, (Alice, Bob), nonsense)
#endif

MAKE((made, (Alice, Bob), //! error: a choreography can't come out of a macro
    def run(Alice.int n) {
        Alice.n ~> Bob._;
    }
))

OTHER_NAME(named, (Alice, Bob), //! error: a choreography can't come out of a macro
    def run(Alice.int n) {
        Alice.n ~> Bob._;
    }
)

choreography(itself, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n ~> Bob.m;
        Bob.show(m, TEXT);
    }
)
