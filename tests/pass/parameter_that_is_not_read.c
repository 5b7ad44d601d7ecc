// A parameter belongs to the interface: it need not be read.
#include <chorex.h>

choreography(params, (Alice, Bob),
    def run(Alice.int n, Bob.int m) -> Bob.int {
        Alice.n ~> Bob.k;
        return Bob.k;
    }
    def helper(Bob.int m) {
        Alice.(1) ~> Bob._;
    }
)
