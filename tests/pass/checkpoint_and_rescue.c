// checkpoint and rescue are parsed, checked and projected.
#include <chorex.h>

choreography(restart, (Alice, Bob),
    int Alice.f(int divisor);
    def run(Alice.int divisor) -> Alice.int, Bob.int {
        Bob.int y = 0;
        checkpoint {
            Alice.f(divisor) ~> Bob.y;
        } rescue {
            Alice.f(1) ~> Bob.y;
        }
        Alice.(2 + 2) ~> Bob.sum;
        Bob.(sum + sum) ~> Alice.result;
        return Alice.result, Bob.y;
    }
)
