// Statements of the next stage get a clear error.
#include <chorex.h>

choreography(later, (Client, Replica),
    def run(Client.int v) {
        Client.v ~> Replica[*].v; //! error: not supported yet
        unordered { //! error: not supported yet
            Client.v ~> Replica._;
        }
        for (i : Replica) { //! error: not supported yet
            Client.v ~> Replica._;
        }
        Client.v ~> Replica._;
    }
)
