// A has come to its end while B, who has yet to read what A sent, is in a block of its own.
#include <chorex.h>

choreography(ahead, (A, B),
    void B.work(void);
    def run() {
        checkpoint {
            B.work();
        } rescue {
            B.work();
        }
        A.(1) ~> B._;
        A.(2) ~> B._;
    }
)
