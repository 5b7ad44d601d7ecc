// A return in a branch concerns everybody who acts later.
#include <chorex.h>

choreography(early, (Alice, Bob, Carol, Dave),
    def run(Alice.bool stop) -> Carol.int {
        Dave.before();
        if (Alice.stop) {
            return Carol.(1);
        }
        Alice.(2) ~> Bob.x;
        Bob.x ~> Carol.y;
        return Carol.y;
    }
)
