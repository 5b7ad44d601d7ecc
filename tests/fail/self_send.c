// A role may not send to itself.
#include <chorex.h>

choreography(selfsend, (Alice, Bob),
    def run(Alice.int x) -> Bob.int {
        Alice.x ~> Alice.y; //! error: Alice sends to itself
        Alice.x ~> Bob.y;
        return Bob.y;
    }
    def through[From, To](From.int x) {
        From.x ~> From._; //! error: From sends to itself
        From.x ~> To._;
    }
)

choreography(selfparameter, (Alice, Bob),
    def relay[X](X.int n) -> Bob.int {
        X.n ~> Bob.m; //! error: X sends to itself
        X.f(n) ~> Alice.k; //! error: the type of X's 'f' can't be inferred here: add 'TYPE Bob.f(int);'
        Alice.(k);
        return Bob.m;
    }
    def run() -> Bob.int {
        Bob.x = relay[Bob](Bob.(3));
        return Bob.x;
    }
)
