// break and continue belong to a loop (or end a case).
#include <chorex.h>

choreography(nobreak, (Alice, Bob),
    def run(Alice.int n) {
        if (Alice.(n > 0)) {
            break; //! error: break
        } else {
            continue; //! error: continue
        }
        switch (Alice.n) {
        case 1: Alice.n ~> Bob._; continue; //! error: continue
        default: break;
        }
    }
)
