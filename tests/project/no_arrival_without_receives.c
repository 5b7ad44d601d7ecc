// One branch without a receive: the role needs the message.
#include <chorex.h>

choreography(needed, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        Bob.int m = 0;
        if (Alice.(n > 0)) {
            Alice.n ~> Bob.m;
        }
        return Bob.m;
    }
)
