// A block directly in another one: a life that was given up in the outer one can still enter the inner one.
#include <chorex.h>

choreography(inside, (A, B),
    def run() {
        checkpoint {
            checkpoint {
                A.(1) ~> B._;
            } rescue {
                B.(2) ~> A._;
            }
        } rescue {
            B.(3) ~> A._;
        }
    }
)
