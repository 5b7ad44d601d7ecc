// The role that the receives come from need not be the decider; it must be told itself.
#include <chorex.h>

choreography(thirdrole, (Alice, Bob, Carol),
    def run(Alice.int n) -> Carol.int {
        if (Alice.(n > 0)) {
            Bob.(1) ~> Carol.x;
            return Carol.x;
        } else {
            Bob.(2L) ~> Carol.y;
            return Carol.((int)y);
        }
    }
)
