// Another choreography is no role: it is started from C.
#include <chorex.h>

choreography(other, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n ~> Bob._;
    }
)

choreography(user, (Alice, Bob),
    def run(Alice.int n) {
        other.run(Alice.n); //! error: 'other' is another choreography, not a role
        other.f(); //! error: 'other' is another choreography, not a role
        Alice.n ~> other.n; //! error: 'other' is another choreography, not a role
        Alice.n ~> below.n; //! error: 'below' is another choreography, not a role
        other_run(Alice.n); //! error: no function 'other_run'
        third.f(Alice.n); //! error: no role 'third'
    }
)

choreography(below, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n ~> Bob._;
    }
)
