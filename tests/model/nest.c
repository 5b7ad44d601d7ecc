// A block inside another one that has more participants.
#include <chorex.h>

choreography(nest, (A, B, C),
    def run() {
        A.(1) ~> B._;
        checkpoint within 1s {
            A.(2) ~> B._;
            checkpoint within 1s {
                B.(3) ~> A._;
                A.(4) ~> B._;
            } rescue {
                A.(5) ~> B._;
            }
            C.(6) ~> B._;
        } rescue {
            B.(7) ~> A._;
            A.(8) ~> C._;
        }
        A.(9) ~> B._;
    }
)
