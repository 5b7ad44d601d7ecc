// Where a role's branches begin with receives from one role, what arrives tells it the branch.
#include <chorex.h>

choreography(arrival, (Alice, Bob, Carol),
    def run(Alice.int n) -> Bob.int {
        if (Alice.(n > 0)) {
            Alice.n ~> Bob.x;
            Bob.x ~> Carol._;
            return Bob.x;
        } else {
            Alice.("none") ~> Bob.const char *s;
            return Bob.(s[0]);
        }
    }
)
