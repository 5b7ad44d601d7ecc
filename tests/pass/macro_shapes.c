// Macros in local C: object-like, with arguments that name variables, with commas and strings, nested.
#include <chorex.h>

#define ADD(a, b) ((a) + (b))
#define TWICE(x) ADD(x, x)
#define FIELD(s) (s).w
#define GREETING "hello, " "world"

struct box { int w; };

choreography(macroshapes, (Alice, Bob),
    def run(Alice.int n, Alice.struct box b) -> Bob.int {
        Alice.(TWICE(ADD(n, 1))) ~> Bob.x;
        Alice.(FIELD(b)) ~> Bob.y;
        Alice.(GREETING) ~> Bob.s;
        if (Alice.(ADD(n, FIELD(b)) > 3)) {
            Bob.x = TWICE(x);
        }
        return Bob.(x + y + s[0]);
    }
)
