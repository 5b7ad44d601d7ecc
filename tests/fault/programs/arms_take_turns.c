// Queue tells a worker that there is a job, and takes it: no other arm of Queue goes on between the two, since there is room for the message.
// matrix members: 4
// matrix crash: 0.005 0.01
// matrix results: always 190, 0 in vain
#include <chorex.h>
#include <stdio.h>

choreography(arms_take_turns, (Queue, Worker[]),
    bool Queue.has_job(void);
    int Queue.take_job(void);
    void Queue.store(int result);
    def run() {
        par (w : Worker) {
            while (Queue.has_job()) {
                Queue.take_job() ~> w.job;
                w.(job + 0) ~> Queue.result;
                Queue.store(result);
            }
        }
    }
)

#include "arms_take_turns.Queue.chor.h"
#include "arms_take_turns.Worker.chor.h"

enum { JOBS = 20, WORKERS = 4 };
static int next_job, sum, in_vain;

bool Queue_has_job(void)
{
    return next_job < JOBS;
}

int Queue_take_job(void)
{
    in_vain += next_job >= JOBS;
    return next_job++;
}

void Queue_store(int result)
{
    sum += result;
}

int main(void)
{
    struct arms_take_turns_cast cast = {.Queue.context = &sum, .Worker.count = WORKERS};
    if (arms_take_turns_run(&cast) != CHX_OK)
        return puts("failed") < 0;
    printf("%d, %d in vain\n", sum, in_vain);
    return 0;
}
