// laps.h: the times of many repetitions of one thing, and what they say together.

#ifndef BENCH_LAPS_H
#define BENCH_LAPS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "bench/measure.h"

#include <sched.h>
#include <stdlib.h>

enum { LAPS_MAX = 100000 };

typedef struct {
    double lowest_ns, tenth_ns, median_ns, ninety_ninth_ns, highest_ns;
} Laps;

static inline uint64_t laps_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline int laps_compare(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

// Sorts them. At least one.
static inline Laps laps_of(uint64_t *times_ns, size_t count)
{
    qsort(times_ns, count, sizeof *times_ns, laps_compare);
    return (Laps){(double)times_ns[0], (double)times_ns[count / 10], (double)times_ns[count / 2],
                  (double)times_ns[count * 99 / 100], (double)times_ns[count - 1]};
}

// The calling thread stays on the processor of this number, among those that it may use, from now on.
static inline void laps_stay_on(int number)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) <= number)
        return;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all) && number-- == 0)
            CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
}

// As one line of JSON; each lap was `repeat` times the thing, which took `wall_s` on the whole.
static inline void laps_print(const Laps *laps, double repeat, double wall_s)
{
    printf("{\"lowest_ns\": %.1f, \"tenth_ns\": %.1f, \"median_ns\": %.1f, \"ninety_ninth_ns\": %.1f, "
           "\"highest_ns\": %.1f, \"wall_s\": %.9f}\n",
           laps->lowest_ns / repeat, laps->tenth_ns / repeat, laps->median_ns / repeat, laps->ninety_ninth_ns / repeat,
           laps->highest_ns / repeat, wall_s);
}

#endif
