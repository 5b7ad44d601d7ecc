// blocks.c: two roles enter a block and leave it, again and again. With `process` each has a process of its own.

#include "bench/measure.h"

#include <chorex.h>
#include <stdlib.h>
#include <string.h>

choreography(blocks, (Ann, Ben),
    def run({Ann, Ben}.long rounds) -> Ann.long, Ben.long {
        {Ann, Ben}.long done = 0;
        while ({Ann, Ben}.(rounds > 0)) {
            checkpoint {
                {Ann, Ben}.done = done + 1;
            } rescue {
                {Ann, Ben}.done = -1;
            }
            {Ann, Ben}.rounds = rounds - 1;
        }
        return Ann.done, Ben.done;
    }
)

#include "blocks.Ann.chor.h"
#include "blocks.Ben.chor.h"

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 10000;
    chx_actor isolated = {.isolation = argc > 2 && strcmp(argv[2], "process") == 0 ? CHX_PROCESS : CHX_THREAD};
    struct blocks_cast cast = {isolated, isolated};
    struct blocks_run_result result;
    Measure measure = measure_begin();
    if (blocks_run(&result, &cast, rounds) != CHX_OK || result.Ann != rounds || result.Ben != rounds)
        return 1;
    measure_end(&measure);
    measure_print(&measure);
    return 0;
}
