// Operators after a located name: the error suggests the parentheses.
#include <chorex.h>

choreography(bare, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        if (Alice.n < 6) { //! error: Alice.(n < 6)
            Alice.n = 6;
        }
        while (Alice.n > 0) { //! error: Alice.(n > 0)
            Alice.n--;
        }
        Alice.n + 1 ~> Bob.x; //! error: Alice.(n + 1)
        return Bob.x + 1; //! error: Bob.(x + 1)
    }
)
