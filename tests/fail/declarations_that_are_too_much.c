// Declarations have no struct bodies and no parenthesised declarators.
#include <chorex.h>

choreography(declarators, (Alice, Bob),
    def run(Alice.int n) {
        Alice.struct { int a; } s = {n}; //! error: a type can't be defined here
        Alice.int (*f)(int) = 0; //! error:
        Alice.n ~> Bob.enum { A, B } e; //! error: a type can't be defined here
        Alice.n ~> Bob._;
    }
)
