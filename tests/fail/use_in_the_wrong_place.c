// 'use' stands at the head of a choreography; its names are none of its roles, and each is there once.
#include <chorex.h>

choreography(ot, (Sender, Receiver),
    def send(Sender.int x) -> Receiver.int {
        Sender.x ~> Receiver.y;
        return Receiver.y;
    }
)

choreography(late, (Alice, Bob),
    int Alice.f(void);
    use ot; //! error: 'use' stands at the head of a choreography, before prototypes and definitions
    def run() {
        Alice.f() ~> Bob._;
    }
    use ot, ot; //! error: 'use' stands at the head of a choreography, before prototypes and definitions
)

choreography(roles, (ot, Bob),
    use ot; //! error: 'ot' is a role here: a choreography of that name can't be used
    def run(Bob.int n) {
        Bob.n ~> ot._;
    }
)

choreography(twice, (Alice, Bob),
    use ot, ot; //! error: 'ot' is used twice
    def run(Alice.int n) -> Bob.int {
        return ot.send[Alice, Bob](Alice.n);
    }
)
