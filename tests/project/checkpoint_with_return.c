// A return or break in the rescue makes a difference to everybody after it: they take part.
#include <chorex.h>

choreography(leaving, (Alice, Bob, Carol, Dave),
    int Alice.f(void);
    def run() -> Carol.int {
        Dave.before();
        for (Alice.int i = 0; Alice.(i < 3); Alice.i++) {
            checkpoint within 2s retry 1 {
                Alice.f() ~> Bob._;
            } rescue {
                break;
            }
        }
        checkpoint {
            Alice.f() ~> Bob._;
        } rescue {
            return Carol.(0);
        }
        return Carol.(1);
    }
)
