// measure.h: time and memory of one run of a benchmark, printed as one line of JSON for bench/run.

#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

typedef struct {
    double wall_s, cpu_s; // begun at; after measure_end: taken
} Measure;

static inline double measure_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline Measure measure_begin(void)
{
    return (Measure){measure_clock(CLOCK_MONOTONIC), measure_clock(CLOCK_PROCESS_CPUTIME_ID)};
}

static inline void measure_end(Measure *measure)
{
    measure->wall_s = measure_clock(CLOCK_MONOTONIC) - measure->wall_s;
    measure->cpu_s = measure_clock(CLOCK_PROCESS_CPUTIME_ID) - measure->cpu_s;
}

// Of this program; getrusage would count what the process was before exec.
static inline long measure_peak_kib(void)
{
    long peak_kib = 0;
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmHWM: %ld", &peak_kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return peak_kib;
}

static inline void measure_print(const Measure *measure)
{
    printf("{\"wall_s\": %.9f, \"cpu_s\": %.9f, \"peak_kib\": %ld}\n", measure->wall_s, measure->cpu_s,
           measure_peak_kib());
}

#endif
