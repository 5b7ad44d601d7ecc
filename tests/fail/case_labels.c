// Labels are different constants; one default at most.
#include <chorex.h>

enum color { RED, GREEN };

choreography(labels, (Alice, Bob),
    def run(Alice.int n, Alice.int m) {
        switch (Alice.n) {
        case RED: Alice.m ~> Bob._; break;
        case 0: break; //! error: 0
        case 1 + 1: break;
        case m: break; //! error: 'm'
        default: break;
        }
        switch (Alice.n) {
        default: break;
        case 1: break;
        default: Alice.(1) ~> Bob._; break; //! error: default
        }
    }
)
