// A function whose type can't be inferred is reported once, and not where its argument is wrong already.
#include <chorex.h>
#include <string.h>

choreography(once, (Alice, Bob),
    def run(Alice.int n, Bob.int m) {
        Alice.f(n) ~> Bob.x; //! error: the type of Alice's 'f' can't be inferred here
        Alice.f(n) ~> Bob.y;
        Alice.g(m) ~> Bob.z; //! error: 'm' is Bob's, not Alice's
        Alice.strlen("x") ~> Bob.w; //! error: the type of Alice's 'strlen' can't be inferred here
        Bob.(x + y + z + w);
    }
)
