// A loop whose rounds are blocks: left by its condition, by break and by return out of the rescue.
#include <chorex.h>

choreography(rounds, (A, B),
    bool A.decide(void);
    def run() {
        checkpoint while (A.decide()) {
            B.(1) ~> A._;
            if (A.decide()) {
                continue;
            }
            A.(2) ~> B._;
        } rescue {
            A.(3) ~> B._;
            if (A.decide()) {
                break;
            }
        }
        B.(4) ~> A._;
    }
)
