// A const variable keeps its first value: no statement and no delivery gives it another one.
#include <chorex.h>

choreography(consts, (Alice, Bob),
    def run(Alice.const int limit, Bob.int n) {
        Alice.const int c = limit;
        Alice.c = 4; //! error: Alice's 'c' is const
        Alice.c++; //! error: Alice's 'c' is const
        Alice.c += 1; //! error: Alice's 'c' is const
        Alice.(c = 5); //! error: Alice's 'c' is const
        Bob.n ~> Alice.limit; //! error: Alice's 'limit' is const
        Bob.n ~> Alice.c; //! error: Alice's 'c' is const
        Alice.c = other(); //! error: Alice's 'c' is const
    }
    def other() -> Alice.int { return Alice.(3); }
)
