// A variable of several roles is one variable: what is wrong with it is said once.
#include <chorex.h>

choreography(sets, (Alice, Bob, Carol),
    def run(Alice.int n) {
        Alice.n ~> {Bob, Carol}.unread; //! warning: Bob's and Carol's 'unread' is never read
        {Alice, Bob, Carol}.int third = 3; //! warning: Alice's and Bob's and Carol's 'third' is never read
        Alice.n ~> {Bob, Carol}.read;
        Carol.use(read);
        Alice.n ~> {Bob, Carol}.first;
        Bob.use(first);
    }
)
