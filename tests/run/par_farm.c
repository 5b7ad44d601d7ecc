// Workers get their jobs from one queue, each as soon as it is ready: no job is lost, and a slow worker keeps nobody else waiting.
//! no-central
//! no-process
// expect: 4950 of 100 jobs, at most 1 slow
// expect: 5000050000 of 2000 workers
// expect: 0 of 0 workers
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(farm, (Queue, Worker[]),
    bool Queue.has_job(void);
    int Queue.take_job(void);
    bool Worker.is_slow(void);
    bool Queue.others_are_done(void);
    void Queue.store(size_t w, int result);
    def run() {
        par (w : Worker) {
            w.is_slow() ~> Queue.slow;
            while (Queue.has_job()) {
                Queue.take_job() ~> w.job;
                // The first worker is through with its job when all others are done.
                while (Queue.(slow && !others_are_done())) {
                    Queue.(0) ~> w._;
                    w.(0) ~> Queue._;
                }
                w.job ~> Queue.result;
                Queue.store(w, result);
            }
        }
    }
)

#include "farm.Queue.chor.h"
#include "farm.Worker.chor.h"

static int next_job, jobs, slow_jobs;
static size_t stored;
static long sum;

bool Queue_has_job(void)
{
    return next_job < jobs;
}

int Queue_take_job(void)
{
    return next_job++;
}

bool Worker_is_slow(void)
{
    return jobs == 100 && chx_role_index() == 0;
}

bool Queue_others_are_done(void)
{
    return stored >= 99;
}

void Queue_store(size_t w, int result)
{
    sum += result;
    stored++;
    if (w == 0)
        slow_jobs++;
}

static void run(size_t workers, int count)
{
    next_job = slow_jobs = 0;
    stored = 0;
    sum = 0;
    jobs = count;
    if (farm_run(&(struct farm_cast){.Worker.count = workers}) != CHX_OK)
        printf("%s\n", chx_last_report()->why);
}

int main(void)
{
    run(4, 100);
    // None, if the first worker comes when all jobs are taken.
    printf("%ld of %zu jobs, %s\n", sum, stored, slow_jobs <= 1 ? "at most 1 slow" : "several slow");
    run(2000, 100001);
    printf("%ld of 2000 workers\n", sum);
    run(0, 10);
    printf("%ld of 0 workers\n", sum);
    return 0;
}
