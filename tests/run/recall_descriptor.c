// A function that waits by itself, in a poll without a limit, is told when its role is called back: by the failure of another
// one, by a deadline, by the end of its session. When it has come back, it is told nothing any more.
// expect: rescued once, late once
// expect: cancelled
//! no-central
//! no-sim
#define _GNU_SOURCE
#include <chorex.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int never[2] = {-1, -1};

choreography(back, (Waiter, Other),
    void Waiter.wait(void);
    int  Waiter.is_quiet(void);
    def wait_and_fail() -> Waiter.int {
        Waiter.int rescued = 0;
        checkpoint {
            Other.(1) ~> Waiter._;
            Waiter.wait();
            Other.(chx_fail("now"));
        } rescue {
            Waiter.rescued = 1;
        }
        return Waiter.(rescued * is_quiet());
    }
    def wait_too_long() -> Waiter.int {
        Waiter.int late = 0;
        checkpoint within 20ms {
            Waiter.wait();
            Waiter.(0) ~> Other._;
        } rescue (fault) {
            Waiter.late = fault.kind == CHX_FAULT_DEADLINE;
            Waiter.late ~> Other._;
        }
        return Waiter.(late * is_quiet());
    }
    def forever() {
        Waiter.wait();
        Waiter.(0) ~> Other._;
    }
)

#include "back.Other.chor.h"
#include "back.Waiter.chor.h"

void Waiter_wait(void)
{
    if (never[0] < 0 && pipe2(never, O_CLOEXEC) != 0)
        abort();
    struct pollfd polled[] = {{never[0], POLLIN, 0}, {chx_recall_fd(), POLLIN, 0}};
    while (poll(polled, 2, -1) <= 0)
        ;
}

int Waiter_is_quiet(void)
{
    struct pollfd polled = {chx_recall_fd(), POLLIN, 0};
    return polled.fd >= 0 && poll(&polled, 1, 0) == 0;
}

int main(void)
{
    struct back_wait_and_fail_result fail;
    struct back_wait_too_long_result too_long;
    if (back_wait_and_fail(&fail, NULL) != CHX_OK || back_wait_too_long(&too_long, NULL) != CHX_OK)
        return 1;
    printf("rescued %s, late %s\n", fail.Waiter == 1 ? "once" : "never", too_long.Waiter == 1 ? "once" : "never");
    chx_session *session = back_forever_start(NULL, NULL);
    chx_session_cancel(session);
    puts(back_forever_wait(session) == CHX_CANCELLED ? "cancelled" : "not cancelled");
    return 0;
}
