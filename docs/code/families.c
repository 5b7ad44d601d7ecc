// Families of roles.
#include <chorex.h>
#include <stdio.h>

//[farm]
choreography(farm, (Queue, Worker[], Auditor),
    int Queue.job(size_t number);
    int Worker.work(int job);

    def run(Queue.int bonus) -> Queue.int r[Worker], Auditor.int {
        Queue.int r[Worker];                              // an element for each worker
        Worker[*].int job = 0;                            // a variable of each of them
        for (w : Worker) {                                // w is a role, and in C its index
            Queue.job(w) ~> w.job;
        }
        Queue.bonus ~> Worker[*].bonus;                   // to all of them, who then agree on it
        for (w : Worker) {
            checkpoint {
                w.(work(job) + bonus) ~> Queue.r[w];
            } rescue {                                    // of Queue and this worker: the others go on
                Queue.r[w] = -1;
            }
        }
        Queue.sum = total(r, Worker_count);
        Queue.sum ~> Auditor.sum;
        return Queue.r, Auditor.sum;
    }
    //[/farm]

    //[ring]
    def ring(Worker[*].int x) -> Worker[*].int {
        Worker[*].int y = 0;
        for (w : Worker) {
            w.x ~> Worker[(w + 1) % Worker_count].y;
        }
        return Worker[*].(x - y);
    }
    //[/ring]

    //[parameters]
    def greet[W[], To](W[*].int x) -> To.int {
        To.int sum = 0;
        for (w : W) {
            To.int one = ask[To, w](w.x);
            To.sum += one;
        }
        return To.sum;
    }

    def ask[Who, Whom](Whom.int x) -> Who.int {
        Whom.(x * (int)Whom) ~> Who.y;
        return Who.y;
    }

    def all(Worker[*].int x) -> Auditor.int {
        return greet[Worker, Auditor](Worker[*].x);
    }
    //[/parameters]

    //[list]
    def two(Queue.int x, Auditor.int x) -> Queue.int {
        Queue.int both[2] = collect[{Queue, Auditor}]({Queue, Auditor}.x);
        return Queue.(both[0] + both[1]);
    }

    def collect[W[]](W[*].int x) -> W[0].int r[W] {
        W[0].int r[W];
        for (w : W) {
            w.x ~> W[0].r[w];
        }
        return W[0].r;
    }
    //[/list]
    int Queue.total(const int *values, size_t count);
)

#include "farm.Auditor.chor.h"
#include "farm.Queue.chor.h"
#include "farm.Worker.chor.h"

static int Queue_job(size_t number)
{
    return (int)number * 10;
}

static int Queue_total(const int *values, size_t count)
{
    int sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

//[index]
static int Worker_work(int job)
{
    if (job == 20)
        chx_fail("%s does not like %d", chx_role_name(), job); // Worker[2]
    return job + (int)chx_role_index();
}
//[/index]

int main(void)
{
    //[cast]
    struct farm_cast cast = {.Worker = {.count = 4}};
    struct farm_run_result result;
    if (farm_run(&result, &cast, 100) != CHX_OK)
        return 1;
    for (size_t i = 0; i < result.Queue.count; i++)
        printf("%d ", result.Queue.item[i]);
    printf("= %d\n", result.Auditor);
    farm_run_result_drop(&result);
    //[/cast]
    struct farm_ring_result ring;
    struct farm_all_result all;
    int x[] = {5, 6, 8, 11};
    if (farm_ring(&ring, &cast, x) != CHX_OK || farm_all(&all, &cast, x) != CHX_OK)
        return 1;
    printf("%d %d %d %d, %d\n", ring.Worker.item[0], ring.Worker.item[1], ring.Worker.item[2], ring.Worker.item[3],
           all.Auditor);
    farm_ring_result_drop(&ring);
    struct farm_two_result two;
    if (farm_two(&two, &cast, 30, 12) != CHX_OK || two.Queue != 42)
        return 1;
    return 0;
}
