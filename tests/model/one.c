// One block between deliveries.
#include <chorex.h>

choreography(one, (A, B),
    def run() {
        A.(1) ~> B._;
        checkpoint within 1s {
            B.(2) ~> A._;
            A.(3) ~> B._;
        } rescue {
            A.(4) ~> B._;
            B.(5) ~> A._;
        }
        A.(6) ~> B._;
    }
)
