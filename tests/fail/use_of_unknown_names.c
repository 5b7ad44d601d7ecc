// What is used stands above, and is a choreography.
#include <chorex.h>

choreography(transfer, (A, B),
    def send(A.int x) -> B.int {
        A.x ~> B.y;
        return B.y;
    }
)

choreography(user, (Alice, Bob),
    use tranfer; //! error: there is no choreography 'tranfer' above
    use user; //! error: a choreography can't use itself: its functions are there anyway
    use below; //! error: 'below' can't be used here: it stands below
    use nothing_like_it; //! error: there is no choreography 'nothing_like_it' above
    def run(Alice.int n) -> Bob.int {
        return below.run[Alice, Bob](Alice.n);
    }
)

choreography(one, (Alice, Bob),
    use other; //! error: 'one' and 'other' can't use each other
    def run(Alice.int n) {
        Alice.n ~> Bob._;
    }
)

choreography(other, (Alice, Bob),
    use one;
    def run(Alice.int n) {
        Alice.n ~> Bob._;
    }
)

choreography(below, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        Alice.n ~> Bob.n;
        return Bob.n;
    }
)
