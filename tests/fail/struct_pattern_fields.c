// A struct pattern names fields that exist, of a struct.
#include <chorex.h>

struct box { int width, height; };

choreography(fields, (Alice, Bob),
    def run(Alice.struct box b, Alice.int n) {
        Alice.b ~> Bob.{.width, .depth}; //! error: 'depth'
        Alice.n ~> Bob.{.width = w}; //! error: struct
        Alice.{.color} = b; //! error: 'color'
        Alice.b ~> Bob.{.width = x, .height = y};
        Bob.use(x + y);
    }
)
