// A struct pattern names fields that exist, of a struct.
#include <chorex.h>

struct box { int width, height; };

choreography(fields, (Alice, Bob),
    def run(Alice.struct box b, Alice.int n) {
        Alice.b ~> Bob.{.width, .depth}; //! error: 'depth'
        Alice.n ~> Bob.{.width = w, .height = h}; //! error: a value of type 'int' has no fields
        Alice.{.width = w, .height = h} = &b; //! error: a value of type 'struct box *' has no fields
        Alice.b ~> Bob.{.width = p, .width = q}; //! error: the field 'width' is taken twice
        Alice.b ~> Bob.{.width = r, .height = r}; //! error: 'r' gets two values here
        Alice.{n, n} ~> Bob.{s, s}; //! error: 's' gets two values here
        Alice.{n, n} ~> Bob.{int t, int t}; //! error: Bob already has 't' in this block
        Alice.{n, n} ~> Bob.{_, _};
        Alice.{.color} = b; //! error: 'color'
        Alice.b ~> Bob.{.width = x, .height = y};
        Bob.use(x + y);
    }
)
