// waiting.c: sessions that wait in durable blocks, very many: begun by the first run, which is then killed, and gone on with by the second. Arguments:
// "begin" or "resume", how many. Each says when it is in its block; progress is shown on standard error.
#include "bench/measure.h"

#include <chorex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

choreography(waiting, (Ann, Bob),
    void Ann.stay(void);
    def run(Ann.int number) -> Bob.int {
        Bob.got = 0;
        checkpoint durable retry 100 {
            Ann.stay();
            Ann.number ~> Bob.got;
        }
        return Bob.got;
    }
)

#include "waiting.Ann.chor.h"
#include "waiting.Bob.chor.h"

static _Atomic int there;

// Waits without a thread and without a descriptor, for longer than the program lives.
void Ann_stay(void)
{
    atomic_fetch_add(&there, 1);
    chx_again_after(UINT64_C(86400000000000));
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    int count = atoi(argv[2]), step = count / 10 > 0 ? count / 10 : 1;
    Measure measure = measure_begin();
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "session-%d", i);
        if (waiting_run_open(NULL, name, NULL, i) == NULL) {
            fprintf(stderr, "%s\n", chx_last_report()->why);
            return 1;
        }
        if ((i + 1) % step == 0)
            fprintf(stderr, "%d of %d opened, %d in their blocks, %.1f s\n", i + 1, count, atomic_load(&there),
                    measure_clock(CLOCK_MONOTONIC) - measure.wall_s);
    }
    while (atomic_load(&there) < count)
        usleep(10000);
    measure_end(&measure);
    measure_print(&measure);
    fflush(stdout);
    raise(SIGKILL); // it never comes to its end
}
