// A missing semicolon is reported where it is missing.
#include <chorex.h>

choreography(semicolon, (Alice, Bob),
    int Alice.f(void) //! error: ;
    def run(Alice.int n) -> Bob.int {
        Alice.n ~> Bob.x //! error: ;
        Alice.f() ~> Bob.y;
        return Bob.(x + y) //! error: ;
    }
)
