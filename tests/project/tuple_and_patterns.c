// Tuples, matches, struct patterns and drops on both sides.
#include <chorex.h>

struct box { int w, h; };

choreography(patterns, (Alice, Bob),
    def run(Alice.int x, Alice.struct box b) -> Bob.int {
        Alice.{x, x + 1, "s"} ~> Bob.{a, (2), _};
        Alice.b ~> Bob.{.w, .h = high};
        Bob.{.w = again} = (struct box){w, high};
        return Bob.(a + again);
    }
)
