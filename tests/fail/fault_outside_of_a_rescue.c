// 'fault' is a variable of the rescue only, and only where it is asked for.
#include <chorex.h>

choreography(nofault, (Alice, Bob),
    def run(Alice.int n) {
        Alice.use(fault.line); //! error: Alice has no variable 'fault' here
        in_the_body(Alice.n);
        in_the_rescue(Alice.n);
    }
    def in_the_body(Alice.int n) {
        checkpoint {
            Alice.n ~> Bob._;
            Alice.use(fault.line); //! error: Alice has no variable 'fault' here
        } rescue {
            Alice.use(n);
        }
    }
    def in_the_rescue(Alice.int n) {
        checkpoint {
            Alice.n ~> Bob._;
        } rescue {
            Alice.use(fault.line); //! error: Alice has no variable 'fault' here
        }
    }
)
