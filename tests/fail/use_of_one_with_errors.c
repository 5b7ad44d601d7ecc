// A mistake in a used choreography is said once.
#include <chorex.h>

choreography(ot, (Sender, Receiver),
    def send(Sender.int x) -> Receiver.int {
        Sender.x ~> Receiver.y;
        return Receiver.z; //! error: Receiver has no variable 'z' here
    }
)

choreography(user, (Alice, Bob),
    use ot;
    def run(Alice.int n) -> Bob.int {
        return ot.send[Alice, Bob](Alice.n);
    }
)

choreography(again, (Alice, Bob),
    use user;
    def run(Alice.int n) -> Bob.int {
        return user.run[Alice, Bob](Alice.n);
    }
)
