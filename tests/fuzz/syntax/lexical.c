/* choreography(a) */ // choreography(b) \
choreography(c)
#define choreography(...) \
    choreography(d)
#include "x.h"
static const char *s = "choreography(e)\" (", c = '"';
int n = 1'000 + .5e-3 + 0x1p+3;
choreo\
graphy(lexical, (Älice, B$b),
    def run(Älice.int x) {
        Älice.f(L"a\"b", u8"c" "d)", 'x', L'\'', 1.5e+3f, a <: 3 :>) ~
        /* apart */ > B$b.x; // )
        B$b.(x >>= 2, ~x) ~> Äl\
ice.y;
    }
)
