// Two blocks with deliveries before, between and behind them.
#include <chorex.h>

choreography(cuts, (A, B),
    def run() {
        A.(1) ~> B._;
        checkpoint {
            A.(2) ~> B._;
            B.(3) ~> A._;
        } rescue {
            B.(4) ~> A._;
        }
        B.(5) ~> A._;
        checkpoint {
            A.(6) ~> B._;
        } rescue {
            A.(7) ~> B._;
        }
        A.(8) ~> B._;
    }
)
