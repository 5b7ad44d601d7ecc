// Targets with types: in deliveries, tuples, struct patterns, results of calls.
#include <chorex.h>
#include <stdint.h>

struct box { short w; float h; };

choreography(targets, (Alice, Bob),
    def run(Alice.struct box b) -> Bob.long {
        Alice.b ~> Bob.{.w = long wide, .h = double high};
        Alice.{b.w, b.h, "s"} ~> Bob.{uint8_t small, long double big, const char *s};
        Alice.int x, Bob.uint64_t y = both(Alice.(b.w));
        Alice.x ~> Bob.int z;
        return Bob.(wide + (long)high + small + (long)big + s[0] + (long)y + z);
    }
    def both(Alice.short s) -> Alice.short, Bob.unsigned {
        return Alice.s, Bob.(4u);
    }
)
