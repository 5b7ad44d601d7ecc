// processes.c: an int there and back between two processes, by hand: a word of shared memory for each direction, both
// sides look at theirs all the time, each on a processor of its own.
//
// The least that two processes on two cores need to exchange a message in memory: nobody ever sleeps, nothing is queued,
// nothing is checked.

#include "bench/laps.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    _Alignas(128) _Atomic uint64_t word; // the number of the message above the value
} Direction;

static void put(Direction *direction, uint32_t number, int value)
{
    uint64_t word = (uint64_t)number << 32 | (uint32_t)value;
    atomic_store_explicit(&direction->word, word, memory_order_release);
}

static int take(Direction *direction, uint32_t number)
{
    for (;;) {
        uint64_t word = atomic_load_explicit(&direction->word, memory_order_acquire);
        if (word >> 32 == number)
            return (int)(uint32_t)word;
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
}

enum { ROUNDS_PER_LAP = 100 };

int main(int argc, char **argv)
{
    static uint64_t times_ns[LAPS_MAX];
    uint32_t laps = argc > 1 ? (uint32_t)atol(argv[1]) : 10000, rounds = laps * ROUNDS_PER_LAP, round = 0;
    if (laps == 0 || laps > LAPS_MAX)
        return 2;
    Direction *directions =
        mmap(NULL, 2 * sizeof *directions, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (directions == MAP_FAILED)
        return 1;
    Direction *there = &directions[0], *back = &directions[1];
    pid_t pid = fork();
    if (pid < 0)
        return 1;
    if (pid == 0) {
        laps_stay_on(1);
        while (round++ < rounds)
            put(back, round, take(there, round) + 1);
        _exit(0);
    }
    int value = 0, status;
    laps_stay_on(0);
    uint64_t begun_ns = laps_now_ns(), last_ns = begun_ns;
    for (uint32_t lap = 0; lap < laps; lap++) {
        for (uint32_t i = 0; i < ROUNDS_PER_LAP; i++) {
            put(there, ++round, value);
            value = take(back, round);
        }
        uint64_t now_ns = laps_now_ns();
        times_ns[lap] = now_ns - last_ns;
        last_ns = now_ns;
    }
    if (waitpid(pid, &status, 0) != pid || status != 0 || value != (int)rounds)
        return 1;
    Laps result = laps_of(times_ns, laps);
    laps_print(&result, ROUNDS_PER_LAP, (double)(last_ns - begun_ns) * 1e-9);
    return 0;
}
