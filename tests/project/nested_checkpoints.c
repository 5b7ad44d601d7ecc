// Checkpoints nest, and stand inside rescues and recursive functions.
#include <chorex.h>

choreography(nest, (Alice, Bob),
    int Alice.f(int n);
    def run(Alice.int n) -> Bob.int {
        Bob.int x = 0;
        checkpoint {
            checkpoint retry 2 {
                Alice.f(n) ~> Bob.x;
            }
            Bob.y = run(Alice.(n - 1));
            Bob.x = x + y;
        } rescue {
            checkpoint {
                Alice.f(0) ~> Bob.x;
            } rescue {
                Bob.x = -1;
            }
        }
        return Bob.x;
    }
)
