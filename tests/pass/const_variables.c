// A variable may be declared const: it keeps its first value.
#include <chorex.h>

choreography(consts, (Alice, Bob),
    def run(Alice.const int n, Alice.const char *const s) -> Bob.int {
        Alice.const int twice = n * 2;
        Alice.{twice, s} ~> Bob.{const int m, t};
        return Bob.(m + t[0]);
    }
)
