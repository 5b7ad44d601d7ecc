// Calls of functions of a used choreography are checked as others are.
#include <chorex.h>

choreography(ot, (Sender, Receiver),
    def send(Sender.int x) -> Receiver.int {
        Sender.x ~> Receiver.y;
        return Receiver.y;
    }
    def relay[A, B](A.int x) -> B.int {
        A.x ~> B.y;
        return B.y;
    }
    def start(Sender.int x) -> Receiver.int {
        return relay[Sender, Receiver](Sender.x);
    }
)

choreography(user, (Alice, Bob),
    use ot;
    def run(Alice.int n) -> Bob.int {
        Bob.int a = ot.sent[Alice, Bob](Alice.n); //! error: 'ot' has no function 'sent'
        Bob.int b = ot.send(Alice.n); //! error: 'ot.send' takes 2 role arguments, not 0
        Bob.int c = ot.send[Alice, Alice](Alice.n); //! error: role arguments must be distinct: 'Alice' is there twice
        Bob.int d = ot.send[Alice, Bob](Bob.(3)); //! error: 'ot.send' wants Alice's int here, this is Bob's
        Bob.int e = ot.relay[Alice, Bob](Alice.n); //! error: 'ot.relay' takes 4 role arguments, not 2
        Bob.int f = ot.send[Alice, Carol](Alice.n); //! error: no role 'Carol'
        return ot.relay[Alice, Bob, Alice, Bob](Alice.n);
    }
)
