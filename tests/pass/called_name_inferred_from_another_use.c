// A role's function that is found to be called in several places at once is inferred from the use that shows its type.
#include <chorex.h>

choreography(called, (Alice, Bob),
    def run(Alice.int n) {
        Alice.int x = f(n);
        Alice.x = g(f(n));
        Alice.(f(n) + g(x)) ~> Bob._;
    }
)
