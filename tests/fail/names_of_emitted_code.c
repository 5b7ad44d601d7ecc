// Names that would collide with what is made for the choreography, or with the library, are errors.
#include <chorex.h>

choreography(chx_demo, (Alice, chx), //! error: 'chx_demo' is a name of the library: a choreography can't have it //! error: 'chx' is a name of the library: a role can't have it
    def run(Alice.int n) {
        Alice.n ~> chx._;
    }
)

choreography(parts, (Alice, Bob, Alice_run), //! error: 'Alice_run' collides in C with Alice's part of 'run'
    def run(Alice.int n) {
        Alice.n ~> Alice_run._;
    }
    def Bob_run() { //! error: 'Bob_run' collides in C with Bob's part of 'run'
        Alice.(1) ~> Bob._;
    }
)

choreography(same, (same, Bob),
    def run(same.int n) {
        same.run(n); //! error: the choreography makes a 'same_run' of its own in C
        same.run_start(n); //! error: the choreography makes a 'same_run_start' of its own in C
        same.Bob(n); //! error: the choreography makes a 'same_Bob' of its own in C
        same.other(n);
        same.n ~> Bob._;
    }
)
