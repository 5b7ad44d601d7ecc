// Two definitions of one name, two parameters of one name, two role parameters of one name.
#include <chorex.h>

choreography(doubled, (Alice, Bob),
    def run(Alice.int x) {
        Alice.x ~> Bob._;
    }
    def run(Bob.int x) { //! error: 'run'
        Bob.x ~> Alice._;
    }
    def params(Alice.int x, Alice.int x) { //! error: 'x'
        Alice.x ~> Bob._;
    }
    def roles[From, From](From.int x) { //! error: 'From'
        From.x ~> Bob._;
    }
)
