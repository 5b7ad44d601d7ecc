// A role must provide the functions that a used choreography asks it for, under one name or another.
//! mode: compile
#include <chorex.h>

choreography(ot, (Sender, Receiver),
    int Sender.pick(int n);
    void Receiver.take(int n);
    void Receiver.keep(int n);
    def send(Sender.int x) {
        Sender.pick(x) ~> Receiver.y; //! error: 'Alice_ot_pick' is missing: Alice must provide 'int Alice_ot_pick(int n)' or 'Alice_pick'
        Receiver.take(y); //! error: 'Bob_ot_take' is missing: Bob must provide 'void Bob_ot_take(int n)' or 'Bob_take'
        Receiver.keep(y);
    }
)

choreography(deal, (A, B),
    use ot;
    def run(A.int x) {
        ot.send[A, B](A.x);
    }
)

choreography(user, (Alice, Bob),
    use ot;
    def run(Alice.int n) {
        ot.send[Alice, Bob](Alice.n);
    }
)

#include "user.Alice.chor.h"
#include "user.Bob.chor.h"

void Bob_take(long n)
{
    (void)n;
}

void Bob_keep(int n)
{
    (void)n;
}

int main(void)
{
    return user_run(NULL, 3) == CHX_OK ? 0 : 1;
}
