// A rescue that returns: who acts after the block must take part in it.
#include <chorex.h>

choreography(leave, (A, B, C),
    def run() {
        checkpoint {
            A.(1) ~> B._;
        } rescue {
            return;
        }
        B.(2) ~> C._;
        C.(3) ~> A._;
    }
)
