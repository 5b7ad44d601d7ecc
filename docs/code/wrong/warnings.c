#include <chorex.h>
#include <unistd.h>

choreography(warnings, (Alice, Bob),
    def run(Alice.int n) {
        Alice.int *p = &n;
        Alice.n ~> Bob.lenght;
        checkpoint {
            Alice.read(*p);
        } rescue {
        }
        Alice.(*p = 2);
    }
)
