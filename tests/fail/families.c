// What members of families can't do.
#include <chorex.h>

choreography(family, (Client, Replica[], Log),
    int Replica.get(int key);
    def run(Client.int v) -> Client.int {
        Client.v ~> Replica.v; //! error: 'Replica' is a family of roles: say which of them
        Replica[*].get(1) ~> Client.x; //! error: one role sends in a delivery, not all members of 'Replica'
        for (r : Replica) {
            Client.v ~> r.mine;
            r.r = 3; //! error: it can't be assigned to
            Replica[*].get(mine); //! error: 'mine'
            r.q ~> r.y; //! error: r has no variable 'q' here
        }
        Client.r = 5;
        while (Replica[0].get(1)) { //! error: one member of 'Replica' can't be chosen by an index here
            Client.(r++);
        }
        return Client.r;
    }
)
