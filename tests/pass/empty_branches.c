// Branches, loops and cases may be empty.
#include <chorex.h>

choreography(empties, (Alice, Bob),
    bool Alice.busy(void);
    def run(Alice.int n) {
        if (Alice.(n > 0)) {
        } else {
        }
        while (Alice.busy()) {
        }
        do { } while (Alice.busy());
        switch (Alice.n) {
        }
        switch (Alice.n) {
        case 1: break;
        default: break;
        }
        { { } }
        Alice.n ~> Bob._;
    }
)
