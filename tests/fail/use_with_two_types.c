// A role that plays two roles of a used choreography can't provide one function with two types.
#include <chorex.h>

choreography(ot, (Sender, Receiver),
    int Sender.pick(int n); //! error: 'Bob_ot_pick' would have two types: give both prototypes the same text
    long Receiver.pick(int n, int m);
    def send(Sender.int x) -> Receiver.long {
        Sender.pick(x) ~> Receiver.y;
        return Receiver.pick(y, 2);
    }
)

choreography(user, (Alice, Bob),
    use ot;
    def run(Alice.int n) -> Alice.long {
        Bob.long r = ot.send[Alice, Bob](Alice.n);
        return ot.send[Bob, Alice](Bob.((int)r));
    }
)
