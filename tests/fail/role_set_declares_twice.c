// A name that a role set declares twice is one mistake, however many roles the set has.
#include <chorex.h>

choreography(twice, (Alice, Bob, Carol),
    def run({Alice, Bob}.int n, {Alice, Bob}.int n) { //! error: Alice and Bob already have a parameter 'n'
        {Alice, Bob}.int x = 1;
        {Alice, Bob}.int x = 2; //! error: Alice and Bob already have 'x' in this block
        {Bob, Carol}.int y = 1;
        {Alice, Bob}.int y = 2; //! error: Bob already has 'y' in this block
        Alice.int z = 1;
        Alice.int z = 1; //! error: Alice already has 'z' in this block
    }
    def other(Alice.int n, {Alice, Bob}.int n) { //! error: Alice already has a parameter 'n'
        Bob.(n);
    }
)
