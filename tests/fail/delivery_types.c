// A delivery into a target of a type that C can't convert to.
#include <chorex.h>

struct box { int w; };
struct bag { int w; };

choreography(delivery, (Alice, Bob),
    def run(Alice.int n, Alice.struct box b, Alice.const char *s) {
        Alice.n ~> Bob.struct box x; //! error: struct box
        Alice.b ~> Bob.int y; //! error: struct box
        Alice.s ~> Bob.int z; //! error: int
        Alice.b ~> Bob.struct bag w; //! error: struct bag
        Bob.int k = 0;
        Alice.b ~> Bob.k; //! error: struct box
        Bob.use(k);
    }
)
