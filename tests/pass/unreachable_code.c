// What can't be reached is warned about, once for each stretch.
#include <chorex.h>

choreography(unreachable, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        while (Alice.(n > 0)) {
            Alice.n--;
            continue;
            Alice.n ~> Bob._; //! warning: reached
            Alice.(1) ~> Bob._;
        }
        if (Alice.(n > 1)) {
            return Bob.(1);
        } else {
            return Bob.(2);
        }
        Alice.n ~> Bob._; //! warning: reached
        return Bob.(3);
    }
)
