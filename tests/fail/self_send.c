// A role may not send to itself.
#include <chorex.h>

choreography(selfsend, (Alice, Bob),
    def run(Alice.int x) -> Bob.int {
        Alice.x ~> Alice.y; //! error: Alice sends to itself
        Alice.x ~> Bob.y;
        return Bob.y;
    }
    def through[From, To](From.int x) {
        From.x ~> From._; //! error: From sends to itself
        From.x ~> To._;
    }
)
