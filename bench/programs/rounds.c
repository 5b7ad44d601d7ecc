// rounds.c: an int there and back in each round, and every round is a block. `loop`: as a checkpointed loop; `blocks`: with a
// block inside an endless loop. With `process` as the third argument each role has a process of its own.

#include "bench/measure.h"

#include <chorex.h>
#include <stdlib.h>
#include <string.h>

choreography(rounds, (Ann, Ben),
    def loop(Ann.long rounds) -> Ann.long, Ben.long {
        Ann.long sum = 0;
        Ben.long served = 0;
        checkpoint while (Ann.(rounds > 0)) {
            Ann.rounds ~> Ben.x;
            Ben.served++;
            Ben.(x + 1) ~> Ann.y;
            Ann.sum += y;
            Ann.rounds--;
        } rescue {
            Ann.rounds--;
            Ben.served = -1;
        }
        return Ann.sum, Ben.served;
    }

    def blocks(Ann.long rounds) -> Ann.long, Ben.long {
        Ann.long sum = 0;
        Ben.long served = 0;
        while (Ann.(rounds > 0)) {
            checkpoint {
                Ann.rounds ~> Ben.x;
                Ben.served++;
                Ben.(x + 1) ~> Ann.y;
                Ann.sum += y;
                Ann.rounds--;
            } rescue {
                Ann.rounds--;
                Ben.served = -1;
            }
        }
        return Ann.sum, Ben.served;
    }
)

#include "rounds.Ann.chor.h"
#include "rounds.Ben.chor.h"

int main(int argc, char **argv)
{
    bool is_loop = argc > 1 && strcmp(argv[1], "loop") == 0;
    long rounds = argc > 2 ? atol(argv[2]) : 10000, sum = rounds * (rounds + 3) / 2;
    chx_actor isolated = {.isolation = argc > 3 && strcmp(argv[3], "process") == 0 ? CHX_PROCESS : CHX_THREAD};
    struct rounds_cast cast = {isolated, isolated};
    struct rounds_loop_result loop = {0};
    struct rounds_blocks_result blocks = {0};
    Measure measure = measure_begin();
    if (is_loop ? rounds_loop(&loop, &cast, rounds) != CHX_OK || loop.Ann != sum || loop.Ben != rounds
                : rounds_blocks(&blocks, &cast, rounds) != CHX_OK || blocks.Ann != sum || blocks.Ben != rounds)
        return 1;
    measure_end(&measure);
    measure_print(&measure);
    return 0;
}
