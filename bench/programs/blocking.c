// blocking.c: many sessions at once, some of which block. Arguments: sessions; one of how many blocks; milliseconds.

#include "bench/measure.h"

#include <chorex.h>
#include <stdlib.h>

choreography(blocking, (Client, Server),
    void Server.wait(int wait_ms);

    def run(Client.int wait_ms) -> Client.int {
        Client.wait_ms ~> Server.wait_ms;
        if (Server.(wait_ms > 0)) {
            Server.wait(wait_ms);
        }
        Server.(wait_ms + 1) ~> Client.answer;
        return Client.answer;
    }
)

#include "blocking.Client.chor.h"
#include "blocking.Server.chor.h"

static void Server_wait(int wait_ms)
{
    struct timespec pause = {wait_ms / 1000, wait_ms % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 10000, every = argc > 2 ? atol(argv[2]) : 100;
    int wait_ms = argc > 3 ? atoi(argv[3]) : 50;
    chx_session **sessions = calloc((size_t)count, sizeof(chx_session *));
    if (sessions == NULL)
        return 1;
    Measure measure = measure_begin();
    for (long i = 0; i < count; i++)
        if ((sessions[i] = blocking_run_start(NULL, NULL, i % every == 0 ? wait_ms : 0)) == NULL)
            return 1;
    for (long i = 0; i < count; i++) {
        struct blocking_run_result result;
        if (blocking_run_wait(sessions[i], &result) != CHX_OK || result.Client != (i % every == 0 ? wait_ms : 0) + 1)
            return 1;
    }
    measure_end(&measure);
    free(sessions);
    measure_print(&measure);
    return 0;
}
