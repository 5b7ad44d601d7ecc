// A loop whose rounds are blocks inside of a block, with a block and another such loop inside of each round.
#include <chorex.h>

choreography(roundsnest, (A, B),
    bool A.decide(void);
    def run() {
        checkpoint {
            checkpoint retry 1 within 1s for (;;) {
                checkpoint {
                    A.(1) ~> B._;
                } rescue {
                    B.(2) ~> A._;
                }
                if (A.decide()) {
                    break;
                }
            }
        } rescue {
            B.(3) ~> A._;
        }
    }
)
