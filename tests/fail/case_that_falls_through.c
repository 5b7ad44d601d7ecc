// Every case ends in break, return or continue.
#include <chorex.h>

choreography(falls, (Alice, Bob),
    def run(Alice.int n) {
        switch (Alice.n) {
        case 1: //! error: break
            Alice.n ~> Bob._;
        case 2:
            Alice.(2) ~> Bob._;
            break;
        default: //! error: break
            Alice.(3) ~> Bob._;
        }
    }
)
