// Local C can't leave the choreography; loops of its own are its own.
#include <chorex.h>

choreography(leaving, (Alice, Bob),
    def run(Alice.int n) {
        while (Alice.(n > 0)) {
            Alice.({ return; }); //! error: local C can't return from the choreography
            Alice.({ if (n == 2) return 3; }); //! error: local C can't return from the choreography
            Alice.({ break; }); //! error: 'break' statement not in loop or switch statement
            Alice.({ while (n > 2) { n--; if (n == 5) break; else continue; } });
            Alice.n ~> Bob._;
        }
    }
)
