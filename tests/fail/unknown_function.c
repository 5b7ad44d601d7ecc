// A choreographic function that does not exist.
#include <chorex.h>

choreography(unknownf, (Alice, Bob),
    def run(Alice.int x) -> Bob.int {
        missing(Alice.x); //! error: no function 'missing'
        Bob.y = apply(absent, Alice.x); //! error: no function 'absent'
        return nowhere(Alice.x); //! error: no function 'nowhere'
    }
    def apply(f(Alice.int) -> Bob.int, Alice.int x) -> Bob.int {
        return f(Alice.x);
    }
)
