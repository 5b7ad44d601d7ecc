// Arms: what a message costs in one, compared with the same outside of `par` (plain ROUNDS, arm ROUNDS); how much memory one takes that waits
// (idle COUNT); how long jobs of unequal length take with several workers (jobs WORKERS).
#include "bench/measure.h"

#include <chorex.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

choreography(arms, (A, B, Worker[]),
    def plain(A.long rounds) {
        for (; A.(rounds > 0); A.rounds--) {
            A.rounds ~> B.x;
            B.x ~> A._;
        }
    }
    def arm(A.long rounds) {
        par {
            for (; A.(rounds > 0); A.rounds--) {
                A.rounds ~> B.x;
                B.x ~> A._;
            }
        }
    }
    void A.measure(void);
    // Every arm of A waits for its worker when the last worker is there.
    def idle() {
        par (w : Worker) {
            w.(1) ~> A._;
            A.measure();
            A.(1) ~> w._;
            w.(1) ~> A._;
        }
    }
    bool A.has_job(void);
    int A.take_job(void);
    void Worker.work(int job);
    def jobs() {
        par (w : Worker) {
            while (A.has_job()) {
                A.take_job() ~> w.job;
                w.work(job);
                w.(1) ~> A._;
            }
        }
    }
)

#include "arms.A.chor.h"
#include "arms.B.chor.h"
#include "arms.Worker.chor.h"

enum { JOBS = 200 };
static size_t idle_count, idle_wanted, bytes_before, bytes_idle;
static int next_job;

static size_t allocated(void)
{
    return mallinfo2().uordblks + mallinfo2().hblkhd;
}

void A_measure(void)
{
    if (++idle_count == idle_wanted)
        bytes_idle = allocated();
}

bool A_has_job(void)
{
    return next_job < JOBS;
}

int A_take_job(void)
{
    return next_job++;
}

// From 1 to 10 ms, without a processor.
static uint64_t job_ns(int job)
{
    return (uint64_t)(1 + job * 7 % 10) * 1000000;
}

void Worker_work(int job)
{
    struct timespec time = {0, (long)job_ns(job)};
    nanosleep(&time, NULL);
}

static int failed(void)
{
    fprintf(stderr, "%s\n", chx_last_report()->why);
    return 1;
}

static int measure_idle(size_t count)
{
    struct arms_cast cast = {.Worker.count = count};
    idle_wanted = count;
    // What all sessions with so many members share is made by the first one.
    if (arms_jobs(&(struct arms_cast){.Worker.count = count}) != CHX_OK)
        return failed();
    bytes_before = allocated();
    if (arms_idle(&cast) != CHX_OK)
        return failed();
    printf("{\"bytes\": %.0f}\n", (double)(bytes_idle - bytes_before) / (double)count);
    return 0;
}

static int measure_jobs(size_t workers)
{
    struct arms_cast cast = {.Worker.count = workers};
    double ideal = 0, begin = measure_clock(CLOCK_MONOTONIC);
    for (int i = 0; i < JOBS; i++)
        ideal += (double)job_ns(i) / 1e9 / (double)workers;
    if (arms_jobs(&cast) != CHX_OK)
        return failed();
    double took = measure_clock(CLOCK_MONOTONIC) - begin;
    printf("{\"took_s\": %.4f, \"ideal_s\": %.4f}\n", took, ideal);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    long number = atol(argv[2]);
    struct arms_cast none = {.Worker.count = 0};
    if (strcmp(argv[1], "plain") == 0)
        return arms_plain(&none, number) == CHX_OK ? 0 : failed();
    if (strcmp(argv[1], "arm") == 0)
        return arms_arm(&none, number) == CHX_OK ? 0 : failed();
    if (strcmp(argv[1], "idle") == 0) {
        next_job = JOBS;
        return measure_idle((size_t)number);
    }
    return measure_jobs((size_t)number);
}
