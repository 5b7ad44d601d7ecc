// B is in a block of its own, or has yet to enter one that A has recovered, and A can come to its end before B reads.
#include <chorex.h>

choreography(alone, (A, B),
    void B.work(void);
    def run() {
        checkpoint {
            B.work();
        } rescue {
            B.work();
        }
        checkpoint {
            A.(1) ~> B._;
        } rescue {
            B.(2) ~> A._;
        }
    }
)
