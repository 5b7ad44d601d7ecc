// A choreography whose roles have hooks can't be used.
#include <chorex.h>

choreography(hooked, (Sender, Receiver),
    void Sender.init(void);
    def send(Sender.int x) {
        Sender.x ~> Receiver._;
    }
)

choreography(third, (Alice, Bob),
    use hooked; //! error: 'hooked' can't be used: its Sender has the hook 'init'
    def run(Alice.int n) {
        hooked.send[Alice, Bob](Alice.n);
    }
)
