// One closing brace too many inside of a function: one error for it, not one for each statement behind it.
#include <chorex.h>

choreography(closed, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        Bob.int sum = 0;
        checkpoint while (Alice.(n > 0)) {
            Alice.n ~> Bob.m;
            }
            Bob.sum += m;
            {Alice, Bob}.k = agree(Alice.(1), Bob.(1));
            Alice.n--;
            if (Alice.(n == 3)) {
                Alice.n = 0;
            }
        } rescue {
            Alice.n--;
        }
        return Bob.sum;
    } //! error: no bracket is open that this '}' could close

    int Alice.f(int n);
    def other(Alice.int n) {
        Alice.f(n) ~> Bob._;
    }
)
