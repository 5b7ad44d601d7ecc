// A role's function of one choreography starts sessions of another one that stands above it.
// expect: 20
#include <chorex.h>
#include <stdio.h>

choreography(inner, (Worker, Helper),
    def run(Worker.int n) -> Worker.int {
        Worker.n ~> Helper.m;
        Helper.(m * 2) ~> Worker.r;
        return Worker.r;
    }
)

#include "inner.Worker.chor.h"
#include "inner.Helper.chor.h"

choreography(outer, (Client, Server),
    int Server.serve(int n);
    def run(Client.int n) -> Client.struct inner_run_result {
        Client.n ~> Server.n;
        Server.serve(n) ~> Client.r;
        return Client.((struct inner_run_result){r});
    }
)

#include "outer.Client.chor.h"
#include "outer.Server.chor.h"

int Server_serve(int n)
{
    struct inner_run_result r;
    if (inner_run(&r, NULL, n) != CHX_OK)
        chx_fail("the inner session failed");
    return r.Worker;
}

int main(void)
{
    struct outer_run_result r;
    if (outer_run(&r, NULL, 10) != CHX_OK)
        return 1;
    printf("%d\n", r.Client.Worker);
    return 0;
}
