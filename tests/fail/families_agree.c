// What depends on a value of a family's members must not be different for each of them.
#include <chorex.h>

choreography(family, (Client, Replica[]),
    int Replica.get(int key);
    def disagree(Client.int v) {
        Replica[*].int n = get(3);
        if (Replica[*].(n > 3)) { //! error: Replica do not agree on 'n' here
            Replica[*].(get(4));
        }
        Client.v ~> {Client, Replica[*]}.w;
        for (r : Replica) {
            r.w = 3;
        }
        if ({Client, Replica[*]}.(w > 3)) { //! error: do not agree on 'w' here
            Client.(v++);
        }
        Client.int index = 3;
        Client.v ~> Replica[index].z; //! error: 'index' is Client's, not Replica's
        for (r : Replica) {
            Client.(r = 7); //! error: it can't be assigned to
        }
    }
)
