// A role can fail in the second block while the others are still in the first one, which then fails, too: they enter the
// second block in its rescue, and their channels are in a later epoch already.
#include <chorex.h>

choreography(decided, (A, B, C),
    def run() {
        checkpoint {
            A.(1) ~> B._;
        } rescue {
            B.(2) ~> A._;
        }
        checkpoint {
            A.(3) ~> B._;
            B.(4) ~> C._;
        } rescue {
            B.(5) ~> A._;
            A.(6) ~> C._;
        }
        A.(7) ~> B._;
    }
)
