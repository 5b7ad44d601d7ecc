// A function with results must not reach its end without them.
#include <chorex.h>

choreography(falling, (Alice, Bob),
    def run(Alice.int a) -> Bob.int { //! error@10: 'run'
        if (Alice.(a > 0)) {
            Alice.a ~> Bob.x;
            return Bob.x;
        }
    }
    def fine(Alice.int a) -> Bob.int {
        if (Alice.(a > 0)) {
            return Bob.(1);
        } else {
            return Bob.(2);
        }
    }
)
