// A role outside the block has sent something that is read only after it.
#include <chorex.h>

choreography(late, (A, B, C),
    def run() {
        A.(1) ~> B._;
        C.(2) ~> B._;
        checkpoint {
            A.(3) ~> B._;
            B.(4) ~> A._;
        } rescue {
            A.(5) ~> B._;
            B.(6) ~> A._;
        }
        C.(7) ~> B._;
        B.(8) ~> C._;
    }
)
