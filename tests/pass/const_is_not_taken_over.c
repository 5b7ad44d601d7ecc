// A variable that takes its type from something const is not const itself.
#include <chorex.h>

choreography(taken, (Alice, Bob),
    def run(Alice.const int limit) -> Bob.const int {
        Alice.copy = limit;
        Alice.copy = 5;
        Alice.(copy++);
        Alice.second = copy;
        Alice.second ~> Bob.n;
        Alice.limit ~> Bob.m;
        Bob.m = n;
        Bob.(m += 1);
        return Bob.m;
    }
    def again() -> Bob.int {
        Bob.x = run(Alice.(1));
        Bob.x += 1;
        return Bob.x;
    }
)
