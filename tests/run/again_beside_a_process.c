// A role that waits for the outside for long, while others, with processes of their own, wait for it, does not keep the session from
// going on: they are not taken for roles that all wait for one another. It is not called before its time.
// expect: 5 after 2 calls
//! no-central
//! no-sim
#include <chorex.h>
#include <poll.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

choreography(apart, (Reader, Worker, Other),
    int Reader.next(void);
    def run() -> Worker.int, Other.int {
        Reader.next() ~> Worker.calls;
        Worker.(calls + 3) ~> Other.answer;
        return Worker.calls, Other.answer;
    }
)

#include "apart.Reader.chor.h"
#include "apart.Worker.chor.h"
#include "apart.Other.chor.h"

// Once is longer than it takes to find out that nobody can go on.
int Reader_next(void)
{
    static int calls, timer;
    uint64_t times;
    struct itimerspec once = {.it_value = {1, 200000000}};
    if (++calls == 1) {
        timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        if (timer < 0 || timerfd_settime(timer, 0, &once, NULL) != 0)
            chx_fail("no timer");
    }
    if (read(timer, &times, sizeof times) != sizeof times)
        chx_again_when(timer, POLLIN);
    close(timer);
    return calls;
}

int main(void)
{
    struct apart_cast cast = {.Worker.isolation = CHX_PROCESS, .Other.isolation = CHX_PROCESS};
    struct apart_run_result result;
    if (apart_run(&result, &cast) != CHX_OK) {
        printf("%s\n", chx_last_report()->why);
        return 1;
    }
    printf("%d after %d calls\n", result.Other, result.Worker);
    return 0;
}
