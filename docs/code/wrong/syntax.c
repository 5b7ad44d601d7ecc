#include <chorex.h>

choreography(syntax, (Alice, Bob),
    def run(Alice.int n) {
        if (Alice.n < 6) {
            Alice.n -> Bob.m;
        }
        while (Alice.(n > 0))
            Alice.n--;
        Alice.n ~> Bob.k ~> Alice.j;
        Alice.n = Bob.k;
    }
)
