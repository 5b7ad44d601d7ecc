// A delivery is a send at one role and a receive at the other; nobody else sees it.
#include <chorex.h>

choreography(delivery, (Alice, Bob, Carol),
    def run(Alice.int x) -> Bob.int {
        Alice.(x + 1) ~> Bob.y;
        return Bob.y;
    }
)
