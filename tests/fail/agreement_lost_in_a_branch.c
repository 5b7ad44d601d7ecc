// Branches join by intersection, loops by fixpoint.
#include <chorex.h>

choreography(joined, (Alice, Bob),
    def branch(Alice.int n) {
        Alice.n ~> {Alice, Bob}.x;
        if (Alice.(n > 0)) {
            Bob.x = 1;
        }
        if ({Alice, Bob}.(x > 2)) { //! error: 'x'
            Alice.(1) ~> Bob._;
        }
    }
    def loop(Alice.int n) {
        Alice.n ~> {Alice, Bob}.x;
        while ({Alice, Bob}.(x > 0)) { //! error: 'x'
            Alice.x = x - 1;
        }
    }
    def kept(Alice.int n) {
        Alice.n ~> {Alice, Bob}.x;
        if ({Alice, Bob}.(x > 4)) {
            {Alice, Bob}.x = 4;
        } else {
            {Alice, Bob}.x = x + 1;
        }
        while ({Alice, Bob}.(x > 0)) {
            {Alice, Bob}.x = x - 1;
        }
    }
)
