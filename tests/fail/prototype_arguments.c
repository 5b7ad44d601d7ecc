// Calls of a role's function are checked against its prototype.
#include <chorex.h>

struct box { int w; };

choreography(protoargs, (Alice, Bob),
    int Alice.one(int x);
    def run(Alice.int n, Alice.struct box b) {
        Alice.one("text", 2) ~> Bob._; //! error: too many arguments
        Alice.one() ~> Bob._; //! error: too few arguments
        Alice.one(b) ~> Bob._; //! error: struct box
        Alice.x = one(n, n); //! error: too many arguments
        Alice.one(n) ~> Bob._;
        Alice.use(x);
    }
)
