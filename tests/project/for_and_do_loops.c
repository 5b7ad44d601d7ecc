// for and do, with break and continue for each role that is in the loop.
#include <chorex.h>

choreography(fordo, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        Bob.int sum = 0;
        for (Alice.int i = 0; Alice.(i < n); Alice.i++) {
            if (Alice.(i == 2)) {
                continue;
            }
            if (Alice.(i > 5)) {
                break;
            }
            Bob.sum++;
        }
        do {
            Bob.sum--;
        } while (Bob.(sum > 0));
        for (;;) {
            Alice.n--;
            if (Alice.(n < 0)) {
                break;
            }
        }
        return Bob.sum;
    }
)
