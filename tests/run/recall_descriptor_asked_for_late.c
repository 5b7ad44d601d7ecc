// A function that asks for the descriptor when its session is being stopped already gets one that is readable.
// expect: cancelled
//! no-central
//! no-process
//! no-sim
#include <chorex.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_bool is_inside, is_cancelled;

choreography(late, (Waiter, Other),
    void Waiter.wait(void);
    def run() {
        Waiter.wait();
        Waiter.(0) ~> Other._;
    }
)

#include "late.Other.chor.h"
#include "late.Waiter.chor.h"

void Waiter_wait(void)
{
    atomic_store(&is_inside, true);
    while (!atomic_load(&is_cancelled))
        sched_yield();
    struct pollfd polled = {chx_recall_fd(), POLLIN, 0};
    while (poll(&polled, 1, -1) != 1)
        ;
}

int main(void)
{
    chx_session *session = late_run_start(NULL, NULL);
    while (!atomic_load(&is_inside))
        sched_yield();
    chx_session_cancel(session);
    atomic_store(&is_cancelled, true);
    puts(late_run_wait(session) == CHX_CANCELLED ? "cancelled" : "not cancelled");
    return 0;
}
