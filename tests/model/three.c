// Three roles in a block, one of them late, with messages from before it.
#include <chorex.h>

choreography(three, (A, B, C),
    def run() {
        A.(1) ~> B._;
        C.(2) ~> B._;
        checkpoint {
            A.(3) ~> B._;
            B.(4) ~> C._;
        } rescue {
            A.(5) ~> C._;
            C.(6) ~> B._;
        }
        B.(7) ~> A._;
    }
)
