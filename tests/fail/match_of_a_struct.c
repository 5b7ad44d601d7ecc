// Only numbers, strings and bytes can be matched.
#include <chorex.h>

struct box { int w; };

choreography(matchstruct, (Alice, Bob),
    def run(Alice.struct box b, Bob.struct box c) {
        Alice.b ~> Bob.(c); //! error: struct box
        Alice.(b.w) ~> Bob.("text"); //! error:
        Alice.(b.w) ~> Bob.(c.w);
    }
)
