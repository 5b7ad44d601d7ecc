// A queue gives each worker a job and gets its result.
// expect: 1066 70
#include <chorex.h>
#include <stdio.h>

choreography(farm, (Queue, Worker[], Auditor),
    int Queue.job(size_t i);
    int Worker.work(int job);
    def run(Queue.int n) -> Queue.long, Auditor.int {
        Queue.long sum = 0;
        for (w : Worker) {
            Queue.job(w) ~> w.job;
            w.work(job) ~> Queue.r;
            Queue.sum += r;
        }
        Queue.sum ~> Auditor.s;
        return Queue.(sum + n), Auditor.((int)s + (int)Worker_count);
    }
)

#include "farm.Queue.chor.h"
#include "farm.Worker.chor.h"
#include "farm.Auditor.chor.h"

static int Queue_job(size_t i)
{
    return (int)i * 10;
}

static int Worker_work(int job)
{
    return job + (int)chx_role_index();
}

int main(void)
{
    struct farm_run_result result;
    struct farm_cast cast = {.Worker = {.count = 4}};
    if (farm_run(&result, &cast, 1000) != CHX_OK) {
        printf("%s: %s\n", chx_last_report()->role, chx_last_report()->why);
        return 1;
    }
    printf("%ld %d\n", result.Queue, result.Auditor);
    return 0;
}
