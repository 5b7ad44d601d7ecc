// A choice that changes only the decider's part costs no message.
#include <chorex.h>

choreography(alone, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        if (Alice.(n > 0)) {
            Alice.n = n * 2;
        }
        Alice.n ~> Bob.m;
        return Bob.m;
    }
)
