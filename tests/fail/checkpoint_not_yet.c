// checkpoint is checked and projected, but not compiled in this version.
#include <chorex.h>

choreography(notyet, (Alice, Bob),
    int Alice.f(void);
    def run() -> Bob.int {
        Bob.int x = 0;
        checkpoint { //! error: checkpoint
            Alice.f() ~> Bob.x;
        } rescue {
            Bob.x = -1;
        }
        return Bob.x;
    }
)
