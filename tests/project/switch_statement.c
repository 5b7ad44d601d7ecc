// A switch of several ways: the outcome is the number of the way.
#include <chorex.h>

choreography(ways, (Alice, Bob, Carol),
    def run(Alice.int n) -> Bob.int {
        Bob.int m = 0;
        switch (Alice.n) {
        case 1:
        case 2: Bob.m = 12; break;
        case 3: Alice.n ~> Bob.m; Carol.three(); break;
        case 4: return Bob.(4);
        }
        return Bob.m;
    }
)
