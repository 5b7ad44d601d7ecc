// hashing.c: two roles that compute at the same time. The second argument is the number of workers.

#include "bench/measure.h"

#include <chorex.h>
#include <stdlib.h>

choreography(hashing, (Left, Right),
    uint32_t Left.hash(int rounds);
    uint32_t Right.hash(int rounds);

    def run({Left, Right}.int rounds) -> Left.uint32_t {
        Left.uint32_t mine = hash(rounds);
        Right.hash(rounds) ~> Left.uint32_t other;
        return Left.(mine ^ other);
    }
)

#include "hashing.Left.chor.h"
#include "hashing.Right.chor.h"

// Something that the compiler can't shorten and that stays in registers.
static uint32_t hash(uint32_t seed, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        seed ^= (uint32_t)i;
        seed *= 16777619u;
        seed ^= seed >> 13;
    }
    return seed;
}

static uint32_t Left_hash(int rounds)
{
    return hash(1, rounds);
}

static uint32_t Right_hash(int rounds)
{
    return hash(2, rounds);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100000000;
    unsigned workers = argc > 2 ? (unsigned)atoi(argv[2]) : 2;
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.workers = workers});
    Measure measure = measure_begin();
    struct hashing_run_result result;
    chx_session *session = hashing_run_start(runtime, NULL, rounds);
    if (session == NULL || hashing_run_wait(session, &result) != CHX_OK)
        return 1;
    measure_end(&measure);
    chx_runtime_free(runtime);
    if (result.Left != (hash(1, rounds) ^ hash(2, rounds)))
        return 1;
    measure_print(&measure);
    return 0;
}
