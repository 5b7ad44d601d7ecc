// A role starts sessions of another choreography, whose roles wait, too, and waits for their end without a thread.
#include "outside.h"

choreography(inner, (Asker, Squarer),
    int Squarer.square(int n);
    def run(Asker.int n) -> Asker.int {
        Asker.n ~> Squarer.n;
        Squarer.square(n) ~> Asker.r;
        return Asker.r;
    }
)

#include "inner.Asker.chor.h"
#include "inner.Squarer.chor.h"

choreography(over, (Client, Server),
    chx_session *Server.start(int n);
    int          Server.result(chx_session *session);
    def run() -> Client.int {
        Client.int sum = 0;
        for (Client.int i = 1; Client.(i <= 3); Client.i++) {
            Client.i ~> Server.n;
            Client.int s = 0;
            checkpoint {
                Server.session = start(n);
                Server.result(session) ~> Client.s;
            } rescue {
                Server.(n * n) ~> Client.s;
            }
            Client.sum += s;
        }
        return Client.sum;
    }
)

#include "over.Client.chor.h"
#include "over.Server.chor.h"

static bool has_rested;
static chx_session *started; // and not waited for

int Squarer_square(int n)
{
    time_await(&has_rested, 300000);
    return n * n;
}

// What a step has started that failed later.
static void started_end(void)
{
    struct inner_run_result r;
    if (started != NULL)
        inner_run_wait(started, &r);
    started = NULL;
}

chx_session *Server_start(int n)
{
    struct inner_cast cast;
    inject_cast(&cast, sizeof cast);
    started_end();
    has_rested = false;
    started = inner_run_start(NULL, &cast, n);
    if (started == NULL)
        chx_fail("%s", chx_last_report()->why);
    return started;
}

int Server_result(chx_session *session)
{
    struct inner_run_result r;
    if (!chx_session_is_over(session))
        chx_again_when_over(session);
    started = NULL;
    if (inner_run_wait(session, &r) != CHX_OK)
        chx_fail("%s", chx_last_report()->why);
    return r.Asker;
}

static chx_status session(void)
{
    struct over_cast cast;
    struct over_run_result r;
    inject_cast(&cast, sizeof cast);
    chx_status status = over_run(&r, &cast);
    // The next session's report takes the place of this one's.
    if (status != CHX_OK)
        printf("why: %s\n", chx_last_report()->why);
    started_end();
    if (status == CHX_OK)
        must(r.Client == 14);
    return status;
}

int main(void)
{
    return inject_main(session);
}
