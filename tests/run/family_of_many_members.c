// A thousand members, which could all send to one another: only the channels that are used cost something.
//! no-process
//! no-sim
// expect: 501500
// expect: 1003
// expect: Worker[7]: not today
// expect: 40 39 0
#include <chorex.h>
#include <stdio.h>

choreography(many, (Queue, Worker[]),
    def run(Queue.int n) -> Queue.long {
        Queue.long sum = 0;
        for (w : Worker) {
            Queue.n ~> w.x;
            w.(x + (int)w - 1) ~> Queue.y;
            Queue.sum += y;
        }
        return Queue.sum;
    }
    def ring(Queue.int n) -> Queue.long {
        Worker[*].long x = 0;
        for (w : Worker) {
            w.(x + 1) ~> Worker[(w + 1) % Worker_count].x;
        }
        Worker[0].x ~> Queue.sum;
        return Queue.(sum + n);
    }
    // What was sent around before the failure is never received after it.
    def back(void) -> Worker[*].int {
        Worker[*].int early = 0;
        Worker[*].int x = 0;
        checkpoint {
            for (w : Worker) {
                w.(1000 + (int)w) ~> Worker[(w + 1) % Worker_count].early;
                w.(w == 7 ? refuse() : 0) ~> Worker[(w + 2) % Worker_count].early;
            }
            Worker[*].x = early;
        } rescue (fault) {
            Queue.note(fault.role, fault.why);
            for (w : Worker) {
                w.((int)w) ~> Worker[(w + 1) % Worker_count].x;
            }
        }
        return Worker[*].x;
    }
    int Worker.refuse(void);
)

#include "many.Queue.chor.h"
#include "many.Worker.chor.h"

static void Queue_note(const char *role, const char *why)
{
    printf("%s: %s\n", role, why);
}

static int Worker_refuse(void)
{
    chx_fail("not today");
}

int main(void)
{
    struct many_run_result result;
    struct many_ring_result ring;
    struct many_back_result back;
    struct many_cast cast = {.Worker = {.count = 1000}};
    if (many_run(&result, &cast, 3) != CHX_OK || many_ring(&ring, &cast, 3) != CHX_OK)
        return 1;
    printf("%ld\n%ld\n", result.Queue, ring.Queue);
    cast.Worker.count = 40;
    if (many_back(&back, &cast) != CHX_OK)
        return 1;
    printf("%zu %d %d\n", back.Worker.count, back.Worker.item[0], back.Worker.item[1]);
    many_back_result_drop(&back);
    return 0;
}
