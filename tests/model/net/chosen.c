// A choice in the rescue: two lives of A can choose differently.
#include <chorex.h>

choreography(chosen, (A, B),
    bool A.decide(void);
    def run() {
        checkpoint {
            B.(1) ~> A._;
        } rescue {
            if (A.decide()) {
                B.(2) ~> A._;
            } else {
                A.(3) ~> B._;
            }
        }
    }
)
