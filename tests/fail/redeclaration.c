// A declaration with a type is new: the same name twice in one scope is an error, in an inner one it shadows.
#include <chorex.h>

choreography(redeclare, (Alice, Bob),
    def run(Alice.int x) -> Bob.int {
        Bob.int y = 0;
        Alice.x ~> Bob.int y; //! error: 'y'
        Alice.int x = 4; //! error: 'x'
        {
            Bob.int y = 2;
            Bob.use(y);
        }
        return Bob.y;
    }
)
