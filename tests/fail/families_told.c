// A family alone can't tell a role what it has decided: it may have no members.
#include <chorex.h>

choreography(family, (Client, Replica[], Log),
    def nobody(Client.int v) {
        Client.v ~> Replica[*].k;
        if (Replica[*].(k > 3)) { //! error: nobody decides if 'Replica' has no members
            Client.v ~> Log.z;
            Log.(z++);
        }
    }
)
