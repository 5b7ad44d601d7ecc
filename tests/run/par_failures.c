// A block in an arm concerns that arm only; a block around a par takes all its arms with it.
//! no-process
// expect: inside: 1225, jobs given back 50
// expect: around: 3 attempts, rescued
// expect: none: no more, Worker[1]
// expect: deadline: 1
// expect: nested: 2 attempts, 30
#include <chorex.h>
#include <stdio.h>

choreography(failures, (Queue, Worker[]),
    bool Queue.has_job(void);
    int Queue.take_job(void);
    void Queue.give_back(int job);
    void Queue.store(int result);
    int Worker.work(int job);
    int Worker.never(void);
    // Every job fails once.
    def inside() {
        par (w : Worker) {
            while (Queue.has_job()) {
                Queue.int mine = take_job();
                checkpoint {
                    Queue.mine ~> w.job;
                    w.work(job) ~> Queue.result;
                    Queue.store(result);
                } rescue {
                    Queue.give_back(mine);
                }
            }
        }
    }
    void Queue.count(void);
    def around() -> Queue.int {
        Queue.int n = 0;
        checkpoint retry 2 {
            Queue.count();
            par (w : Worker) {
                w.(1) ~> Queue.one;
                Queue.(one + (int)w) ~> w.k;
                if (w.(k == 2)) { w.work(-1) ~> Queue._; }
                Queue.(0) ~> w._;
            }
        } rescue { Queue.n = 1; }
        return Queue.n;
    }
    def none() {
        par (w : Worker) {
            Queue.(w == 1 ? -1 : 0) ~> w.k;
            if (w.(k < 0)) { w.work(k) ~> Queue._; }
        }
    }
    def late() -> Queue.int {
        Queue.int expired = 0;
        par {
            checkpoint within 30ms {
                Worker[0].never() ~> Queue._;
            } rescue { Queue.expired = 1; }
        } and {
            Worker[1].(1) ~> Queue.x;
            Queue.x ~> Worker[1]._;
        }
        return Queue.expired;
    }
    def nested() -> Queue.int {
        Queue.int sum = 0;
        checkpoint retry 5 {
            par {
                par { Worker[0].(10) ~> Queue.a; Queue.store(a); } and { Worker[1].(20) ~> Queue.b; Queue.store(b); }
            } and {
                checkpoint { Worker[0].(5) ~> Queue._; } rescue { Queue.(0) ~> Worker[0]._; }
                Worker[2].work(1000) ~> Queue._;
            }
            Queue.sum = 30;
        }
        return Queue.sum;
    }
)

#include "failures.Queue.chor.h"
#include "failures.Worker.chor.h"

enum { JOBS = 50 };
static int next_job, job_count = JOBS, jobs[2 * JOBS], given_back, attempts, failed;
static long sum;
static bool has_failed[JOBS];

bool Queue_has_job(void)
{
    return next_job < job_count;
}

int Queue_take_job(void)
{
    return jobs[next_job++];
}

void Queue_give_back(int job)
{
    given_back++;
    jobs[job_count++] = job;
}

void Queue_store(int result)
{
    sum += result;
}

int Worker_work(int job)
{
    if (job < 0)
        chx_fail("no more");
    if (job == 1000 && failed++ == 0)
        chx_fail("once");
    if (job == 1000)
        return 0;
    if (!has_failed[job]) {
        has_failed[job] = true;
        chx_fail("job %d fails", job);
    }
    return job;
}

int Worker_never(void)
{
    chx_again_after(1000000000000);
}

void Queue_count(void)
{
    attempts++;
}

int main(void)
{
    struct failures_cast cast = {.Worker.count = 3};
    struct failures_around_result around;
    struct failures_late_result late;
    struct failures_nested_result nested;
    for (int i = 0; i < JOBS; i++)
        jobs[i] = i;
    if (failures_inside(&cast) != CHX_OK)
        printf("%s\n", chx_last_report()->why);
    printf("inside: %ld, jobs given back %d\n", sum, given_back);
    if (failures_around(&around, &cast) != CHX_OK)
        printf("%s\n", chx_last_report()->why);
    printf("around: %d attempts, %s\n", attempts, around.Queue == 1 ? "rescued" : "not rescued");
    failures_none(&cast);
    printf("none: %s, %s\n", chx_last_report()->why, chx_last_report()->role);
    if (failures_late(&late, &cast) != CHX_OK)
        printf("%s\n", chx_last_report()->why);
    printf("deadline: %d\n", late.Queue);
    if (failures_nested(&nested, &cast) != CHX_OK)
        printf("%s\n", chx_last_report()->why);
    printf("nested: %d attempts, %d\n", failed, nested.Queue);
    return 0;
}
