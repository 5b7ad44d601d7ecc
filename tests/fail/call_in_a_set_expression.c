// An expression at a set makes no calls, also none hidden in a macro; macros without calls are fine.
#include <chorex.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 5
#define DRAW() rand()

choreography(setcall, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n ~> {Alice, Bob}.x;
        if ({Alice, Bob}.(x > LIMIT)) {
            Alice.(1) ~> Bob._;
        }
        {Alice, Bob}.y = rand(); //! error: call
        {Alice, Bob}.z = DRAW() + x; //! error: call
        {Alice, Bob}.f(x); //! error: call
        if ({Alice, Bob}.(abs(x) > 1)) { //! error: call
            Alice.(y + z) ~> Bob._;
        }
        Bob.use(y + z);
    }
)
