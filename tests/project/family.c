// Members of a family have one program; only those are told of a choice whom it concerns.
#include <chorex.h>

choreography(family, (Queue, Worker[], Log),
    int Worker.work(int job);
    def run(Queue.int n) -> Queue.int {
        Queue.int sum = 0;
        for (w : Worker) {
            Queue.n ~> w.x;
            if (w.(x > 3)) {
                w.work(x) ~> Queue.y;
                Queue.sum += y;
            } else {
                Queue.sum--;
            }
        }
        Queue.n ~> {Queue, Worker[*]}.k;
        while ({Queue, Worker[*]}.(k > 0)) {
            {Queue, Worker[*]}.k = k - 1;
        }
        for (w : Worker) {
            if (w.(x_of(w) > 3)) {
                w.(1) ~> Worker[*].y;
                Worker[*].(work(y));
            }
            w.(2) ~> Worker[(w + 1) % Worker_count].z;
        }
        ask[Worker[0]](Queue.n);
        return Queue.sum;
    }
    def ask[Who](Queue.int n) {
        Queue.n ~> Who.a;
        Who.work(a) ~> Log.b;
        Log.(b++);
    }
    int Worker.x_of(size_t index);
)
