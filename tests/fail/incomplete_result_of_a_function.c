// What a role's function returns must be a complete type; the message names the function as it is written.
#include <chorex.h>

choreography(incomplete, (Alice, Bob),
    struct nowhere Alice.make(int n);
    def run(Alice.int n) {
        Alice.make(n); //! error: calling 'make' with incomplete return type 'struct nowhere'
        Alice.n ~> Bob._;
    }
)
