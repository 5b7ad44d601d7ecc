// The same block, of a function, in the body and in the rescue of another one.
#include <chorex.h>

choreography(nest2, (A, B, C),
    def run() {
        C.(1) ~> A._;
        checkpoint {
            inner();
            B.(2) ~> C._;
        } rescue {
            inner();
            A.(3) ~> C._;
        }
        C.(4) ~> B._;
    }
    def inner() {
        checkpoint {
            A.(5) ~> B._;
        } rescue {
            B.(6) ~> A._;
        }
    }
)
