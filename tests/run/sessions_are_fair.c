// A new session comes to its end although others, on the same workers, exchange messages without end.
//! seeds: 10
//! no-process
//! no-central

#define _GNU_SOURCE
#include <chorex.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>

choreography(endless, (Ann, Ben),
    bool Ann.more(int x);
    void Ben.see(int x);
    int Ben.work(int x);

    // There and back.
    def turns(Ann.int x) {
        for (;;) {
            Ann.x ~> Ben.x;
            Ben.(x + 1) ~> Ann.x;
        }
    }
    // One way, as fast as the other side takes it.
    def stream(Ann.int x) {
        for (;;) {
            Ann.x ~> Ben.int y;
            Ben.see(y);
        }
    }
    // A choice and a block in each round.
    def blocks(Ann.int x) {
        while (Ann.more(x)) {
            checkpoint {
                Ann.x ~> Ben.x;
                Ben.(x + 1) ~> Ann.x;
            } rescue {
                Ann.x = 0;
            }
        }
    }
    // No messages at all.
    def alone(Ann.int x) {
        while (Ann.more(x)) {
            Ann.x = x / 2;
        }
    }
    // Each step takes a while.
    def steps(Ann.int x) {
        for (;;) {
            Ann.x ~> Ben.x;
            Ben.work(x) ~> Ann.x;
        }
    }
)

choreography(brief, (Alice, Bob, Carol),
    def run(Alice.int x) -> Carol.int {
        Carol.int z = 0;
        for (Alice.int i = 0; Alice.(i < 100); Alice.i++) {
            Alice.(x + i) ~> Bob.y;
            Bob.y ~> Carol.z;
        }
        return Carol.z;
    }
)

#include "brief.Alice.chor.h"
#include "brief.Bob.chor.h"
#include "brief.Carol.chor.h"
#include "endless.Ann.chor.h"
#include "endless.Ben.chor.h"

enum { LOOPS = 4, WORK_NS = 300000, PATIENCE_MS = 20000 };

bool Ann_more(int x)
{
    return x >= 0;
}

void Ben_see(int x)
{
    (void)x;
}

static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

int Ben_work(int x)
{
    long long start_ns = now_ns();
    while (now_ns() - start_ns < WORK_NS)
        ;
    return x;
}

typedef chx_session *Start(chx_runtime *runtime, const struct endless_cast *cast, int x);
typedef chx_status Wait(chx_session *session);
static const struct {
    const char *name;
    Start *start;
    Wait *wait;
} kinds[] = {
    {"turns", endless_turns_start, endless_turns_wait},
    {"stream", endless_stream_start, endless_stream_wait},
    {"blocks", endless_blocks_start, endless_blocks_wait},
    {"alone", endless_alone_start, endless_alone_wait},
    {"steps", endless_steps_start, endless_steps_wait},
};

// False: it has not ended in all that time.
static bool new_session_ends(chx_runtime *runtime)
{
    struct brief_run_result result = {0};
    chx_session *session = brief_run_start(runtime, NULL, 7);
    if (session == NULL)
        return false;
    struct pollfd polled = {.fd = chx_session_fd(session), .events = POLLIN};
    bool ends = poll(&polled, 1, PATIENCE_MS) == 1;
    if (!ends)
        chx_session_cancel(session);
    return brief_run_wait(session, &result) == CHX_OK && ends && result.Carol == 106;
}

static bool is_fair(unsigned workers, size_t kind)
{
    chx_session *loops[LOOPS];
    chx_runtime_options options = {.workers = workers, .signals = true};
    chx_runtime *runtime = chx_runtime_new(&options);
    bool good = runtime != NULL;
    for (int i = 0; i < LOOPS && good; i++)
        good = (loops[i] = kinds[kind].start(runtime, NULL, i)) != NULL;
    if (!good)
        return false;
    for (int i = 0; i < 3; i++)
        good = good && new_session_ends(runtime);
    for (int i = 0; i < LOOPS; i++) {
        chx_session_cancel(loops[i]);
        good = kinds[kind].wait(loops[i]) == CHX_CANCELLED && good;
    }
    chx_runtime_free(runtime);
    return good;
}

int main(void)
{
    for (unsigned workers = 1; workers <= 2; workers++)
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
            if (!is_fair(workers, kind))
                printf("a session had to wait for %s, workers: %u\n", kinds[kind].name, workers);
    printf("done\n"); // expect: done
    return 0;
}
