// Every number has a limit that is told: attempts, times, sizes of arrays, labels.
#include <chorex.h>

choreography(numbers, (Alice, Bob),
    def retries(Alice.int n) {
        checkpoint retry 4294967295 { //! error: 'retry' needs a whole decimal number up to 1000000000
            Alice.n ~> Bob._;
        } rescue {
        }
        checkpoint retry 18446744073709551616 { //! error: 'retry' needs a whole decimal number up to 1000000000
            Alice.n ~> Bob._;
        } rescue {
        }
        checkpoint retry 0x10 { //! error: 'retry' needs a whole decimal number
            Alice.n ~> Bob._;
        } rescue {
        }
    }
    def times(Alice.int n) {
        checkpoint within 999999999min { //! error: this time is too long: the limit is 100 years
            Alice.n ~> Bob._;
        } rescue {
        }
        checkpoint within 52560001min { //! error: this time is too long: the limit is 100 years
            Alice.n ~> Bob._;
        } rescue {
        }
        checkpoint within 18446744073709551616us { //! error: this time is too long: the limit is 100 years
            Alice.n ~> Bob._;
        } rescue {
        }
        checkpoint within 007s { //! error: a time is a whole decimal number and a unit
            Alice.n ~> Bob._;
        } rescue {
        }
    }
)

choreography(sizes, (Alice, Bob),
    def run(Alice.int n) {
        Alice.char a[600000000]; //! error: Alice's 'a' is 572 MiB large: the limit is 512
        Alice.char b[18446744073709551615]; //! error: array is too large
        Alice.char c[-1]; //! error: negative size
        Alice.(a[n] + b[n] + c[n]) ~> Bob._;
        switch (Alice.n) {
        case 99999999999999999999: //! error: integer literal is too large
            break;
        case 1:
            break;
        case 1: //! error: duplicate case value
            break;
        default:
            break;
        }
    }
)
