// A missing brace is one error: what was meant as a body is not read as definitions.
#include <chorex.h>

choreography(unbraced, (Alice, Bob),
    def run(Alice.int n)
        Alice.n ~> Bob.m; //! error: expected '{' and the body of 'run', not 'Alice'
        Alice.n = 3;
        Bob.m ~> Alice.n;
    } //! error: no bracket is open that this '}' could close
    def two(Alice.int n) {
        Alice.n -> Bob._; //! error: a delivery is written '~>', not '->'
    }
)
