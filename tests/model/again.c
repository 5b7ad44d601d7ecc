// A block inside one that is tried again: its second life is another block.
#include <chorex.h>

choreography(again, (A, B, C),
    def run() {
        checkpoint retry 1 {
            checkpoint {
                A.(1) ~> B._;
            } rescue {
                B.(2) ~> A._;
            }
            B.(3) ~> C._;
        }
    }
)
