// A choice inside a block, told to one role and seen by another from what arrives; one way leaves the loop around it.
#include <chorex.h>

choreography(choice, (A, B, C),
    bool A.decide(void);
    def run() {
        while (A.decide()) {
            checkpoint {
                if (A.decide()) {
                    A.(1) ~> B._;
                    B.(2) ~> C._;
                } else {
                    B.(3) ~> C._;
                }
            } rescue {
                break;
            }
        }
        C.(4) ~> A._;
    }
)
