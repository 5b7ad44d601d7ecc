// Durable blocks and families of roles don't go together yet.
#include <chorex.h>

choreography(family, (Client, Replica[]),
    def run(Client.int v) {
        checkpoint durable { //! error: a durable block in a choreography with families of roles is not supported yet
            Client.v ~> Replica[*].k;
            Replica[*].keep(k);
        }
    }
)
