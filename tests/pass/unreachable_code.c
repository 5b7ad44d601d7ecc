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

    def variables(Alice.int n) -> Bob.int {
        Bob.int x = 0;
        if (Alice.(n > 0)) {
            checkpoint {
                return Bob.x;
            } rescue (fault) {
                return Bob.(2);
                Bob.y = fault.line; //! warning: reached
                Bob.int z = y;
                while (Bob.(z < 3)) {
                    Bob.z++;
                }
            }
        }
        return Bob.x;
    }
)
