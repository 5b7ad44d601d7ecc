// Arguments must be located where the parameter is.
#include <chorex.h>

choreography(wrongrole, (Alice, Bob, Carol),
    def run(Bob.int b) -> Carol.int {
        helper(Bob.b); //! error: 'helper' wants Alice's int here, this is Bob's
        Carol.c = relay[Bob, Carol](Carol.(1)); //! error: 'relay' wants Bob's int here, this is Carol's
        return Carol.c;
    }
    def helper(Alice.int v) {
        Alice.v ~> Carol._;
    }
    def relay[From, To](From.int x) -> To.int {
        From.x ~> To.y;
        return To.y;
    }
)
