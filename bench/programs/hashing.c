// hashing.c: two roles that compute at the same time and tell each other what they found. Arguments: steps; workers.
//
// A step is shorter than the time after which the runtime gives a worker's queue to another thread, so that one worker
// means one thread.

#include "bench/measure.h"

#include <chorex.h>
#include <stdlib.h>

enum { ROUNDS_PER_STEP = 1000000 };

choreography(hashing, (Left, Right),
    uint32_t Left.hash(uint32_t seed);
    uint32_t Right.hash(uint32_t seed);

    def run({Left, Right}.int steps) -> Left.uint32_t {
        Left.uint32_t mine = 1;
        Right.uint32_t mine = 2;
        while ({Left, Right}.(steps > 0)) {
            Left.mine = hash(mine);
            Right.mine = hash(mine);
            Left.mine ~> Right.uint32_t other;
            Right.mine ~> Left.uint32_t other;
            Left.mine ^= other;
            Right.mine += other;
            {Left, Right}.steps = steps - 1;
        }
        return Left.mine;
    }
)

#include "hashing.Left.chor.h"
#include "hashing.Right.chor.h"

// Something that the compiler can't shorten and that stays in registers.
static uint32_t hash(uint32_t seed)
{
    for (uint32_t i = 0; i < ROUNDS_PER_STEP; i++) {
        seed ^= i;
        seed *= 16777619u;
        seed ^= seed >> 13;
    }
    return seed;
}

static uint32_t Left_hash(uint32_t seed)
{
    return hash(seed);
}

static uint32_t Right_hash(uint32_t seed)
{
    return hash(seed);
}

static uint32_t expected(int steps)
{
    uint32_t left = 1, right = 2;
    while (steps-- > 0) {
        uint32_t left_sent = hash(left), right_sent = hash(right);
        left = left_sent ^ right_sent;
        right = right_sent + left_sent;
    }
    return left;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 200;
    unsigned workers = argc > 2 ? (unsigned)atoi(argv[2]) : 2;
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.workers = workers});
    Measure measure = measure_begin();
    struct hashing_run_result result;
    chx_session *session = hashing_run_start(runtime, NULL, steps);
    if (session == NULL || hashing_run_wait(session, &result) != CHX_OK)
        return 1;
    measure_end(&measure);
    chx_runtime_free(runtime);
    if (result.Left != expected(steps))
        return 1;
    measure_print(&measure);
    return 0;
}
