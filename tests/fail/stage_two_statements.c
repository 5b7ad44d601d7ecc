// Statements of the next stage get a clear error.
#include <chorex.h>

choreography(later, (Client, Replica),
    def run(Client.int v) {
        unordered { //! error: not supported yet
            Client.v ~> Replica._;
        }
        Client.v ~> Replica._;
    }
)
