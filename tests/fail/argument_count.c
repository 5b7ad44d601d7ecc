// Too many and too few arguments of a choreographic function.
#include <chorex.h>

choreography(count, (Alice, Bob),
    def run(Alice.int a, Bob.int b) {
        helper(Alice.a, Bob.b, Bob.b); //! error: 'helper' takes 2 arguments
        helper(Alice.a); //! error: 'helper' takes 2 arguments
        nothing(Alice.a); //! error: 'nothing' takes 0 arguments
    }
    def helper(Alice.int a, Bob.int b) {
        Alice.a ~> Bob.(b);
    }
    def nothing() {
        Alice.(1) ~> Bob._;
    }
)
