// A tuple's elements and its targets must be as many.
#include <chorex.h>

choreography(shapes, (Alice, Bob),
    def run(Alice.int n) {
        Alice.{n, n} ~> Bob.{a, b, c}; //! error: 3
        Alice.{n, n, n} ~> Bob.{d, e}; //! error: 2
        Alice.{n, n} ~> Bob.f; //! error: tuple
        Alice.n ~> Bob.{g, h}; //! error: tuple
        Alice.{n, n} ~> Bob.{j, k};
        Bob.use(j + k);
    }
)
