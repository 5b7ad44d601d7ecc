#include <chorex.h>
#include <stdlib.h>

choreography(agreement, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n ~> {Alice, Bob}.k;
        {Alice, Bob}.int m = k + rand();
        Alice.(k++);
        Alice.k = 3;
        if ({Alice, Bob}.(k > 0)) {
            Bob.act();
        }
    }
)
