// What follows from a mistake is no mistake of its own.
#include <chorex.h>

choreography(keyword, (Alice, Bob),
    def register({Alice, Bob}.int n) -> Alice.{int, int}, {Bob}.int { //! error: 'register' is a word of the language
        return Alice.{n, n}, Bob.(n);
    }
)

choreography(agreement, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n ~> {Alice, Bob}.k;
        {Alice, Bob}.int m = k + n; //! error: 'n' is Alice's, not Bob's
        if ({Alice, Bob}.(k > m)) {
            Alice.k = 3;
            Bob.act();
        }
        if ({Alice, Bob}.(k > 0)) { //! error: Alice and Bob do not agree on 'k' here
            Bob.act();
        }
    }
)

choreography(parameters, (Alice, Bob, Carol),
    def run(Alice.int n) {
        between[Alice, Bob](Alice.n);
        between[Bob, Carol](Bob.(3));
    }
    def between[From, To](From.int n) {
        From.n ~> To.n;
        if ({From, To}.(n > 0)) { //! error: From and To do not agree on 'n' here
            From.act();
        }
    }
)
