// Assigning at a subset ends the others' agreement.
#include <chorex.h>

choreography(ended, (Alice, Bob, Carol),
    def run(Alice.int n) {
        Alice.n ~> {Alice, Bob, Carol}.x;
        {Alice, Bob}.x = x + 1;
        if ({Alice, Bob}.(x > 2)) {
            Alice.(1) ~> Bob._;
        }
        if ({Alice, Bob, Carol}.(x > 2)) { //! error: 'x'
            Alice.(1) ~> Carol._;
        }
        Bob.x = 3;
        while ({Alice, Bob}.(x > 0)) { //! error: 'x'
            {Alice, Bob}.x = 0;
        }
    }
)
