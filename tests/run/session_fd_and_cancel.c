// A session's descriptor becomes readable at its end; a cancelled session says so.
//! no-central
// expect: readable, 3
// expect: cancelled
#include <chorex.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

choreography(watched, (Alice, Bob),
    int Alice.wait_a_little(int n);
    def run(Alice.int n) -> Bob.int {
        Alice.wait_a_little(n) ~> Bob.m;
        return Bob.m;
    }
    def forever() {
        for (;;) {
            Alice.wait_a_little(1) ~> Bob._;
            Bob.(1) ~> Alice._;
        }
    }
)

#include "watched.Alice.chor.h"
#include "watched.Bob.chor.h"

int Alice_wait_a_little(int n)
{
    usleep(1000);
    return n;
}

int main(void)
{
    chx_session *session = watched_run_start(NULL, NULL, 3);
    struct pollfd p = {.fd = chx_session_fd(session), .events = POLLIN};
    if (poll(&p, 1, 10000) != 1)
        return 1;
    struct watched_run_result r;
    if (watched_run_wait(session, &r) != CHX_OK)
        return 1;
    printf("readable, %d\n", r.Bob);

    session = watched_forever_start(NULL, NULL);
    usleep(5000);
    chx_session_cancel(session);
    if (watched_forever_wait(session) != CHX_CANCELLED)
        return 1;
    printf("cancelled\n");
    return 0;
}
