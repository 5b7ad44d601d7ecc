// Results of a call go to roles that have one, each at most once, and not to more places than there are.
#include <chorex.h>

choreography(taken, (Alice, Bob, Carol),
    def run(Alice.int a) -> Bob.int {
        Carol.c = helper(Alice.a); //! error: 'helper' has no result at Carol
        Bob.b, Bob.d = helper(Alice.a); //! error: Bob
        Alice.x = nothing(Alice.a); //! error: 'nothing' has no result at Alice
        Bob.b = helper(Alice.a);
        return Bob.b;
    }
    def helper(Alice.int v) -> Bob.int {
        Alice.v ~> Bob.w;
        Bob.w ~> Carol._;
        return Bob.w;
    }
    def nothing(Alice.int v) {
        Alice.v ~> Carol._;
    }
)
