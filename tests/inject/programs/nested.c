// A role's function runs sessions of another choreography.
#include "inject.h"

choreography(square, (Asker, Squarer),
    def run(Asker.int n) -> Asker.int {
        Asker.n ~> Squarer.n;
        Squarer.(n * n) ~> Asker.r;
        return Asker.r;
    }
)

#include "square.Asker.chor.h"
#include "square.Squarer.chor.h"

choreography(server, (Client, Server),
    int Server.square(int n);
    def run() -> Client.int {
        Client.int sum = 0;
        for (Client.int i = 1; Client.(i <= 3); Client.i++) {
            Client.i ~> Server.n;
            Client.int s = 0;
            checkpoint {
                Server.square(n) ~> Client.s;
            } rescue {
                Server.(n * n) ~> Client.s;
            }
            Client.sum += s;
        }
        return Client.sum;
    }
)

#include "server.Client.chor.h"
#include "server.Server.chor.h"

int Server_square(int n)
{
    struct square_run_result r;
    struct square_cast cast;
    // Roles of a session that a role's process starts are in processes again.
    inject_cast(&cast, sizeof cast);
    if (square_run(&r, &cast, n) != CHX_OK)
        chx_fail("%s", chx_last_report()->why);
    return r.Asker;
}

static chx_status session(void)
{
    struct server_cast cast;
    struct server_run_result r;
    inject_cast(&cast, sizeof cast);
    chx_status status = server_run(&r, &cast);
    if (status == CHX_OK)
        must(r.Client == 14);
    return status;
}

int main(void)
{
    return inject_main(session);
}
