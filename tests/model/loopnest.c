// The same block of a function: twice in a body, in its rescue, and after it.
#include <chorex.h>

choreography(loopnest, (A, B),
    def run() {
        checkpoint {
            inner();
            inner();
        } rescue {
            inner();
        }
        inner();
    }
    def inner() {
        checkpoint {
            A.(1) ~> B._;
        } rescue {
            B.(2) ~> A._;
        }
    }
)
