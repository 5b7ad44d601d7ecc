// A break only ends a case: it can't leave the middle of one. One error for a case.
#include <chorex.h>

choreography(middle, (Alice, Bob),
    def run(Alice.int n) {
        switch (Alice.n) {
        case 1:
            if (Alice.(n > 0)) {
                break; //! error: 'break' may only end the case
            }
            Alice.n ~> Bob._;
            break;
        case 2:
            if (Alice.(n > 0)) {
                break; //! error: 'break' may only end the case
            } else {
                break;
            }
            Alice.n ~> Bob._;
        default:
            break;
        }
    }
)
