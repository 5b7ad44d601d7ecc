// Every case of a switch is a scope.
#include <chorex.h>

choreography(cases, (Alice, Bob),
    def run(Alice.int a) -> Bob.int {
        switch (Alice.a) {
        case 1: Alice.a ~> Bob.x; Bob.use(x); break;
        default: Bob.use(x); break; //! error: Bob has no variable 'x' here
        }
        return Bob.x; //! error: Bob has no variable 'x' here
    }
)
