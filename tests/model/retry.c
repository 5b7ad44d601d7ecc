// A block that is tried again before it is rescued.
#include <chorex.h>

choreography(retry, (A, B),
    def run() {
        A.(1) ~> B._;
        checkpoint within 1s retry 1 {
            A.(2) ~> B._;
            B.(3) ~> A._;
        } rescue {
            B.(4) ~> A._;
        }
        A.(5) ~> B._;
    }
)
