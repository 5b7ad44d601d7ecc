// A variable is visible only at its role.
#include <chorex.h>

choreography(others, (Alice, Bob),
    def run(Alice.int a, Bob.int b) -> Bob.int {
        Bob.(a + 1) ~> Alice.x; //! error: 'a' is Alice's, not Bob's
        Alice.a ~> Bob.c;
        Alice.y = b; //! error: 'b' is Bob's, not Alice's
        if (Alice.(c > 0)) { //! error: 'c' is Bob's, not Alice's
            Alice.a = 1;
        }
        return Bob.(c + a);
    }
)
