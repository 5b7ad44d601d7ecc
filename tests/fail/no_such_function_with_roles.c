// A call with roles in brackets is one of a choreographic function, also of one that there is not: one error.
#include <chorex.h>

choreography(mistyped, (Alice, Bob),
    def relay[From, To](From.int x) -> To.int {
        From.x ~> To.y;
        return To.y;
    }

    def run(Alice.int x) {
        Bob.int y = 0;
        Bob.y = relax[Alice, Bob](Alice.x); //! error: no function 'relax'
        Bob.use(y);
    }
)
