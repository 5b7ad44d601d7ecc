// A loop without end, left by break out of a block; who is told decides the way out for the others.
#include <chorex.h>

choreography(endless, (A, B),
    bool A.decide(void);
    def run() {
        for (;;) {
            checkpoint {
                B.(1) ~> A._;
                if (A.decide()) {
                    A.(2) ~> B._;
                    break;
                }
            } rescue {
                A.(3) ~> B._;
            }
        }
        B.(4) ~> A._;
    }
)
