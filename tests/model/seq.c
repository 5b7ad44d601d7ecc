// Two blocks one after the other that share one role.
#include <chorex.h>

choreography(seq, (A, B, C),
    def run() {
        checkpoint {
            A.(1) ~> B._;
        } rescue {
            A.(2) ~> B._;
        }
        B.(3) ~> C._;
        checkpoint {
            C.(4) ~> B._;
            B.(5) ~> C._;
        } rescue {
            C.(6) ~> B._;
        }
        A.(7) ~> B._;
        C.(8) ~> A._;
    }
)
