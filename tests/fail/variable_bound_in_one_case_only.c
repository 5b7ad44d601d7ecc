// Every case of a switch is a scope.
#include <chorex.h>

choreography(cases, (Alice, Bob),
    def run(Alice.int a) -> Bob.int {
        switch (Alice.a) {
        case 1: Alice.a ~> Bob.x; Bob.y = x; Bob.use(y); break;
        default: Bob.use(x); break; //! error: Bob has no variable 'x' here
        }
        return Bob.y; //! error: Bob has no variable 'y' here
    }
)
