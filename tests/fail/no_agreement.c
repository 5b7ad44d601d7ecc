// An expression at a set uses only what the set agrees on.
#include <chorex.h>

choreography(noagree, (Alice, Bob, Carol),
    def run(Alice.int a, Bob.int b) {
        Alice.a ~> Bob.a;
        if ({Alice, Bob}.(a > 0)) { //! error: 'a'
            Alice.(1) ~> Bob._;
        }
        Alice.a ~> {Alice, Bob}.x;
        {Alice, Bob, Carol}.y = x; //! error: 'x'
        {Alice, Bob}.z = x + b; //! error: 'b'
        Bob.use(b);
        Alice.use(x);
    }
)
