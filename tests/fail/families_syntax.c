// Families of roles and their members, written wrongly.
#include <chorex.h>

choreography(family, (Client, Replica[], Log),
    def run(Client.int v) {
        Client.v ~> Log[*].x; //! error: 'Log' is one role, not a family: leave the brackets out
        for (l : Log) { //! error: 'Log' is one role, not a family
            Client.v ~> Log._;
        }
        for (r : Replicas) { //! error: there is no family 'Replicas'
            Client.v ~> Log._;
        }
        for (Log : Replica) { //! error: 'Log' is a role already
            Client.v ~> Log._;
        }
        Client.v ~> Replica[].k; //! error: which of them?
    }
)

choreography(sized, (Client, Replica[3]), //! error: how many members it has is said by the cast
    def run(Client.int v) {
        Client.(v++);
    }
)
