// A variable can't be used before it is bound, nor after its scope has ended.
#include <chorex.h>

choreography(scope, (Alice, Bob),
    def run(Alice.int a) -> Bob.int {
        Bob.x = y; //! error: Bob has no variable 'y' here
        Alice.a ~> Bob.y;
        if (Bob.(y > 0)) {
            Bob.int inner = 1;
            Bob.int outside = 2;
            Bob.y = inner + outside;
        } else {
            Bob.y = inner; //! error: Bob has no variable 'inner' here
        }
        for (Alice.int i = 0; Alice.(i < a); Alice.i++) {
            Alice.i ~> Bob.y;
        }
        Alice.a = i; //! error: Alice has no variable 'i' here
        Alice.a ~> Bob.x;
        return Bob.(x + outside); //! error: Bob has no variable 'outside' here
    }
)
