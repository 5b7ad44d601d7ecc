// Three blocks deep, the innermost without a rescue.
#include <chorex.h>

choreography(deep, (A, B),
    def run() {
        checkpoint {
            checkpoint {
                checkpoint retry 1 {
                    A.(1) ~> B._;
                }
                B.(2) ~> A._;
            } rescue {
                A.(3) ~> B._;
            }
        } rescue {
            B.(4) ~> A._;
        }
        A.(5) ~> B._;
    }
)
