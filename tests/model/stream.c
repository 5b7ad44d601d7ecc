// More messages in one direction than the channel holds, and a rescue that goes the other way.
#include <chorex.h>

choreography(stream, (A, B),
    def run() {
        checkpoint {
            A.(1) ~> B._;
            A.(2) ~> B._;
            A.(3) ~> B._;
            A.(4) ~> B._;
        } rescue {
            B.(5) ~> A._;
        }
        A.(6) ~> B._;
    }
)
