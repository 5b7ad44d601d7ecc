// Bodies are braced.
#include <chorex.h>

choreography(unbraced, (Alice, Bob),
    def run(Alice.int n) {
        if (Alice.(n > 0))
            Alice.n ~> Bob._; //! error: {
        while (Alice.(n > 0))
            Alice.n--; //! error: {
        if (Alice.(n > 1)) {
            Alice.n ~> Bob._;
        } else
            Alice.(2) ~> Bob._; //! error: {
    }
)
