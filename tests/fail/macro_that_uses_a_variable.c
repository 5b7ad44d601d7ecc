// A macro whose body names a role's variable: refused in clear words.
#include <chorex.h>

#define PRICE_PLUS(n) (p + (n))

choreography(macrovar, (Alice, Bob),
    def run(Alice.int p) {
        Alice.(PRICE_PLUS(2)) ~> Bob._; //! error: macro 'PRICE_PLUS' uses Alice's 'p'
        Alice.p ~> Bob._;
    }
)
