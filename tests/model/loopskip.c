// Two blocks in a loop: each has a role that skips the other.
#include <chorex.h>

choreography(loopskip, (A, B, C),
    def run() {
        for ({A, B, C}.int i = 0; {A, B, C}.(i < 2); {A, B, C}.i++) {
            checkpoint within 1s {
                C.(1) ~> B._;
            } rescue {
                B.(2) ~> C._;
            }
            checkpoint within 1s {
                A.(3) ~> B._;
            } rescue {
                B.(4) ~> A._;
            }
        }
    }
)
