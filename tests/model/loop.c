// A block in a loop that nobody needs to be told about.
#include <chorex.h>

choreography(loop, (A, B),
    def run() {
        for ({A, B}.int i = 0; {A, B}.(i < 2); {A, B}.i++) {
            A.(1) ~> B._;
            checkpoint {
                A.(2) ~> B._;
                B.(3) ~> A._;
            } rescue {
                B.(4) ~> A._;
            }
        }
    }
)
