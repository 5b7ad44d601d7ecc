// A server's function starts sessions of the same runtime while its own session is running.
// expect: 1 + 4 + 9 = 14
#include <chorex.h>
#include <stdio.h>

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
            Server.square(n) ~> Client.s;
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
    return square_run(&r, NULL, n) == CHX_OK ? r.Asker : 0;
}

int main(void)
{
    struct server_run_result r;
    if (server_run(&r, NULL) != CHX_OK)
        return 1;
    printf("1 + 4 + 9 = %d\n", r.Client);
    return 0;
}
