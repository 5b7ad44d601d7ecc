// Families of roles are not supported yet.
#include <chorex.h>

choreography(family, (Client, Replica[]), //! error: not supported yet
    def run(Client.int v) {
        Client.v ~> Client._;
    }
)
