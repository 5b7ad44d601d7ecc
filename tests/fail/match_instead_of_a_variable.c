// In '~> Bob.(y)', y is compared: where Bob has no y, this was probably meant to bind it. One error for that.
#include <chorex.h>

choreography(matches, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n ~> Bob.(y); //! error: Bob has no variable 'y' here
        Bob.use(y);
        Bob.int z = y + 1;
        Alice.z2 = n;
        Alice.z2 ~> Bob._;
        Bob.use(z);
    }
    def tuple(Alice.int n) {
        Alice.{n, 2} ~> Bob.{(y), z}; //! error: Bob has no variable 'y' here
        Bob.use(y + z);
    }
    // The second one is a mistake of its own.
    def out_of_sight(Alice.int n) {
        {
            Bob.int y = 3;
            Alice.n ~> Bob.(y);
        }
        Bob.use(y); //! error: Bob has no variable 'y' here
    }
    def more(Alice.int n) {
        Alice.n ~> Bob.(y + 1); //! error: Bob has no variable 'y' here
        Alice.n ~> Bob.(n); //! error: 'n' is Alice's, not Bob's
    }
)
