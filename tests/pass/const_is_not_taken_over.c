// A variable that takes its type from something const is not const itself.
#include <chorex.h>

struct fixed { const int width; int height; };

choreography(taken, (Alice, Bob),
    def run(Alice.const int limit, Alice.struct fixed f) -> Bob.const int {
        Alice.copy = limit;
        Alice.copy = 5;
        Alice.(copy++);
        Alice.second = copy;
        Alice.second ~> Bob.n;
        Alice.limit ~> Bob.m;
        Bob.m = n;
        Bob.(m += 1);
        Alice.{.width} = f;
        Alice.width = 3;
        Alice.width ~> Bob._;
        return Bob.m;
    }
    def again() -> Bob.int {
        Bob.x = run(Alice.(1), Alice.((struct fixed){1, 2}));
        Bob.x += 1;
        return Bob.x;
    }
)
