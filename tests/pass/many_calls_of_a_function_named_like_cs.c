// A role's own function may be called like one of C's library that is not declared, as often as one likes.
#include <chorex.h>

choreography(often, (Alice, Bob),
    def run(Alice.int n) {
        Alice.(puts(n + 0));
        Alice.(puts(n + 1));
        Alice.(puts(n + 2));
        Alice.(puts(n + 3));
        Alice.(puts(n + 4));
        Alice.(puts(n + 5));
        Alice.(puts(n + 6));
        Alice.(puts(n + 7));
        Alice.(puts(n + 8));
        Alice.(puts(n + 9));
        Alice.(puts(n + 10));
        Alice.(puts(n + 11));
        Alice.(puts(n + 12));
        Alice.(puts(n + 13));
        Alice.(puts(n + 14));
        Alice.(puts(n + 15));
        Alice.n ~> Bob._;
    }
)
