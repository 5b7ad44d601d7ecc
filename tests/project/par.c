// Arms: who takes part in which, with which variables.
#include <chorex.h>

choreography(arms, (Queue, Worker[], Log),
    int Worker.work(int job);
    def run(Queue.int n, Queue.const char *name) -> Queue.int {
        Queue.int count = 0;
        par {
            Queue.name ~> Log.text;
            Log.text ~> Queue._;
        } and {
            par (w : Worker) {
                if (Queue.(n > (int)w)) {
                    Queue.n ~> w.job;
                    w.work(job) ~> Queue._;
                }
            }
        } and {
            Log.(1) ~> Queue.count;
        }
        return Queue.count;
    }
)
