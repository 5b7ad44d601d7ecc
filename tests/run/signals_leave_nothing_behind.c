// A hundred thousand crashes in one session: the runtime holds as much memory in the last round as in the hundredth.
//! no-sanitizer
//! seeds: 40
//! no-central
// expect: 100000 crashes, nothing left behind
//! no-process: the crashes are those of threads
#include <chorex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef ROUNDS
#define ROUNDS 100000
#endif

choreography(crashes, (Alice, Bob),
    int Alice.crash(chx_str text);
    void Bob.look(int round);

    def run(Alice.int rounds) -> Alice.int, Bob.int {
        Alice.int i = 0;
        Bob.int rescues = 0;
        while (Alice.(i < rounds)) {
            checkpoint {
                Alice.(chx_strf("round %d", i)) ~> Bob.chx_str unread;
                Alice.chx_str text = chx_strf("of Alice's in round %d", i);
                Alice.crash(text) ~> Bob._;
                Bob.look((int)chx_str_len(unread));
            } rescue {
                Alice.i++;
                Alice.i ~> Bob.round;
                Bob.rescues++;
                Bob.look(round);
            }
        }
        return Alice.i, Bob.rescues;
    }
)

#include "crashes.Alice.chor.h"
#include "crashes.Bob.chor.h"

static volatile int zero;
static long in_use, early_peak, late_peak; // of memory blocks; the runtime has one worker

static void *allocate(void *context, void *old, size_t size)
{
    (void)context;
    if (size == 0) {
        in_use -= old != NULL;
        free(old);
        return NULL;
    }
    in_use += old == NULL;
    return realloc(old, size);
}

int Alice_crash(chx_str text)
{
    return chx_cstr(text)[0] + *(volatile int *)(intptr_t)zero;
}

void Bob_look(int round)
{
    long *peak = round <= 100 ? &early_peak : &late_peak;
    if (*peak < in_use)
        *peak = in_use;
}

int main(void)
{
    chx_runtime_options options = {.workers = 1, .signals = true, .allocate = allocate};
    chx_runtime *runtime = chx_runtime_new(&options);
    struct crashes_run_result result;
    chx_session *session = crashes_run_start(runtime, NULL, ROUNDS);
    if (session == NULL || crashes_run_wait(session, &result) != CHX_OK)
        return 1;
    chx_runtime_free(runtime);
    if (result.Alice != ROUNDS || result.Bob != ROUNDS)
        return 2;
    // Strings are in the C library's memory; blocks that are kept for reuse may vary a little with the order of turns.
    printf("%d crashes, ", result.Bob);
    if (late_peak <= early_peak + 4 && in_use == 0)
        puts("nothing left behind");
    else
        printf("%ld blocks in the first rounds, %ld later, %ld at the end\n", early_peak, late_peak, in_use);
    return 0;
}
