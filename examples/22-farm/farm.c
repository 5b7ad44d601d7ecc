// A queue, any number of workers, and an auditor: a family of roles whose members crash and are restarted alone.
//! no-sanitizer
// expect: Worker[1] failed: SIGABRT (abort)
// expect: Worker[0] failed: 13 is not for me
// expect: sum 16356
// expect: Worker[0]: 2 jobs
// expect: Worker[1]: 2 jobs
// expect: Worker[2]: 3 jobs
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

choreography(farm, (Queue, Worker[], Auditor),
    int Queue.next_job(void);
    long Worker.work(int job);
    bool Queue.has_jobs(size_t count);
    void Queue.put_back(int job, const char *who, const char *why);

    def run(void) -> Queue.long, Auditor.int done[Worker] {
        Queue.long sum = 0;
        Auditor.int done[Worker];
        Worker[*].int job = 0;
        // In each round every worker gets a job.
        while (Queue.has_jobs(Worker_count)) {
            Queue.int jobs[Worker];
            for (w : Worker) {
                Queue.jobs[w] = next_job();
                Queue.jobs[w] ~> w.job;
            }
            for (w : Worker) {
                // A worker that crashes here costs its own job, and nobody else's.
                checkpoint {
                    w.work(job) ~> {Queue, Auditor}.result;
                    Queue.sum += result;
                    Auditor.done[w] += result > 0;
                } rescue (fault) {
                    Queue.put_back(jobs[w], fault.role, fault.why);
                }
            }
        }
        return Queue.sum, Auditor.done;
    }
)

#include "farm.Auditor.chor.h"
#include "farm.Queue.chor.h"
#include "farm.Worker.chor.h"

static int left[64] = {12, 7, 30, 13, 8, 21, 6, 40, 9};
static size_t left_count = 9;

static bool Queue_has_jobs(size_t count)
{
    return left_count >= count && count > 0;
}

static int Queue_next_job(void)
{
    return left[--left_count];
}

static void Queue_put_back(int job, const char *who, const char *why)
{
    printf("%s failed: %s\n", who, why);
    left[left_count++] = job / 2;
}

// The sum of squares; 40 is too much for anybody, and 13 is for Worker[1] only.
static long Worker_work(int job)
{
    long sum = 0;
    if (job == 40)
        abort();
    if (job == 13 && chx_role_index() != 1)
        chx_fail("%d is not for me", job);
    for (int i = 1; i <= job; i++)
        sum += (long)i * i;
    return sum;
}

int main(int argc, char **argv)
{
    struct farm_cast cast = {.Worker = {.count = argc > 1 ? (size_t)atoi(argv[1]) : 3}};
    struct farm_run_result result;
    if (farm_run(&result, &cast) != CHX_OK) {
        printf("%s: %s\n", chx_last_report()->role, chx_last_report()->why);
        return 1;
    }
    printf("sum %ld\n", result.Queue);
    for (size_t i = 0; i < result.Auditor.count; i++)
        printf("Worker[%zu]: %d jobs\n", i, result.Auditor.item[i]);
    farm_run_result_drop(&result);
    return 0;
}
