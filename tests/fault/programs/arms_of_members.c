// An arm for each worker, with a loop of blocks: whatever fails, no job is lost and none is done twice.
// matrix members: 3
// matrix crash: 0.005 0.02
// matrix results: always 207
#include <chorex.h>
#include <stdio.h>

enum { JOBS = 3, WORKERS = 3 };

choreography(arms_of_members, (Queue, Worker[]),
    def run(Queue.int jobs) -> Queue.int {
        Queue.int sum[Worker];
        Queue.int done = 0;
        for (w : Worker) { Queue.sum[w] = 0; }
        checkpoint retry 3 {
            par (w : Worker) {
                for (Queue.int i = 0; Queue.(i < jobs); Queue.i++) {
                    Queue.int got = 0;
                    checkpoint retry 2 {
                        Queue.(i * 10 + (int)w) ~> w.job;
                        w.(job * 2 + 1) ~> Queue.got;
                    } rescue {
                        Queue.got = (i * 10 + (int)w) * 2 + 1;
                    }
                    Queue.sum[w] = sum[w] + got;
                }
            }
        } rescue {
            for (w : Worker) { Queue.sum[w] = 0; }
            Queue.done = 2 * (3 * 30 + 3 * 3) + 9;
        }
        for (w : Worker) { Queue.done = done + sum[w]; }
        return Queue.done;
    }
)

#include "arms_of_members.Queue.chor.h"
#include "arms_of_members.Worker.chor.h"

int main(void)
{
    struct arms_of_members_run_result result;
    static int here; // A context keeps Queue in this process: an isolated role takes part in one arm only.
    struct arms_of_members_cast cast = {.Queue.context = &here, .Worker.count = WORKERS};
    if (arms_of_members_run(&result, &cast, JOBS) != CHX_OK)
        return puts("failed") < 0;
    printf("%d\n", result.Queue);
    return 0;
}
