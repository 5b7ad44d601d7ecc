// A function that calls itself inside its block; the rescue is chosen by what everybody knows of the failure.
#include <chorex.h>

choreography(recursion, (A, B),
    bool A.decide(void);
    def run() {
        checkpoint {
            if (A.decide()) {
                A.(1) ~> B._;
                run();
            }
            B.(2) ~> A._;
        } rescue (fault) {
            if ({A, B}.(fault.signal == 0)) {
                A.(3) ~> B._;
            } else {
                return;
            }
        }
        A.(4) ~> B._;
    }
)
