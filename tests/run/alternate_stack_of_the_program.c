// A thread of the program that has a stack for signals of its own keeps it, and a role whose functions overflow the stack
// fails all the same; a thread that has none gets one.
//! no-sanitizer
//! no-process: the overflow is that of a thread
// expect: main: overflow rescued, its own stack kept
// expect: thread: overflow rescued
#define _GNU_SOURCE
#include <chorex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

choreography(overflow, (Alice, Bob),
    int Alice.deep(int n);
    def run(Alice.int n) -> Bob.int {
        Bob.int signal = 0;
        checkpoint {
            Alice.deep(n) ~> Bob._;
        } rescue (fault) {
            Bob.signal = fault.signal;
        }
        return Bob.signal;
    }
)

#include "overflow.Alice.chor.h"
#include "overflow.Bob.chor.h"

static volatile int one = 1;

int Alice_deep(int n)
{
    volatile char room[4096];
    room[0] = (char)n;
    return one == 1 ? Alice_deep(n + 1) + room[0] : 0;
}

static int overflows(void)
{
    struct overflow_run_result result;
    return overflow_run(&result, NULL, 0) == CHX_OK && result.Bob == SIGSEGV;
}

static void *thread(void *argument)
{
    printf("thread: overflow %s\n", overflows() && overflows() ? "rescued" : "not rescued");
    return argument;
}

int main(void)
{
    enum { BYTES = 32768 };
    stack_t own = {.ss_sp = malloc(BYTES), .ss_size = BYTES}, now;
    pthread_t other;
    if (sigaltstack(&own, NULL) != 0)
        return 1;
    int rescued = overflows() && overflows();
    sigaltstack(NULL, &now);
    printf("main: overflow %s, its own stack %s\n", rescued ? "rescued" : "not rescued",
           now.ss_sp == own.ss_sp && now.ss_size == BYTES && (now.ss_flags & SS_DISABLE) == 0 ? "kept" : "lost");
    fflush(stdout);
    if (pthread_create(&other, NULL, thread, NULL) != 0 || pthread_join(other, NULL) != 0)
        return 1;
    return 0;
}
