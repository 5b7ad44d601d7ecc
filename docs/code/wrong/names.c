#include <chorex.h>

choreography(names, (Alice, Bob),
    def run() {
        Alice.val ~> Bob.val;
        Bob.(val + 1) ~> Alice.val;
        Bob.use(val);
        Alice.use(vall);
        Bob.total = other + 1;
        Alice.(val + 2) ~> Bob.other;
    }
)
