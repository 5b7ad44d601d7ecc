// A condition is a scalar, a switch is over an integer or enum.
#include <chorex.h>

struct box { int w; };

choreography(condtype, (Alice, Bob),
    def run(Alice.struct box b, Alice.double d, Alice.const char *s) {
        if (Alice.b) { //! error: struct box
            Bob.use(1);
        }
        switch (Alice.d) { //! error: double
        case 1: Bob.use(1); break;
        }
        switch (Alice.s) { //! error: const char *
        case 1: Bob.use(1); break;
        }
        while (Alice.(d > 1)) {
            Alice.d = d - 1;
        }
    }
)
