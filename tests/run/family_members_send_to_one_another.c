// Members send to one another.
// expect: Boss: there is no Worker[1]: the family has 1 member at 38
// expect: 12000004379
// expect: 17000445294
#include <chorex.h>
#include <stdio.h>

choreography(ring, (Boss, Worker[]),
    def run(Boss.int n) -> Boss.long {
        Boss.n ~> {Boss, Worker[*]}.n;
        Worker[*].int x = 0;
        Worker[*].int y = 0;
        Worker[*].x = chx_role_index() + n;
        for (w : Worker) {
            w.x ~> Worker[(w + 1) % Worker_count].y;
        }
        while ({Boss, Worker[*]}.(n > 0)) {
            {Boss, Worker[*]}.n = n - 1;
            Worker[*].x += 1;
        }
        Boss.long sum = 0;
        for (w : Worker) {
            w.{x, y} ~> Boss.{a, b};
            Boss.sum = sum * 100 + a * 10 + b;
        }
        for (w : Worker) {
            if (w.(y > 3)) {
                w.y ~> Boss.big;
                Boss.sum += big;
            } else {
                Boss.sum -= 1;
            }
        }
        Worker[0].(x * 7) ~> Boss.z;
        Boss.sum ~> Worker[Worker_count - 1].q;
        Worker[Worker_count - 1].(q + 1) ~> Boss.sum;
        for (v : Worker) { for (w : Worker) { v.(x + 1) ~> w.k; w.(k + y) ~> v.x; } }
        Worker[1].x ~> Boss.e;
        return Boss.(sum + z + e * 1000000000L);
    }
)

#include "ring.Boss.chor.h"
#include "ring.Worker.chor.h"

int main(void)
{
    struct ring_run_result result;
    for (size_t n = 1; n < 4; n++) {
        struct ring_cast cast = {.Worker = {.count = n}};
        if (ring_run(&result, &cast, 2) != CHX_OK)
            printf("%s: %s at %d\n", chx_last_report()->role, chx_last_report()->why, chx_last_report()->line);
        else
            printf("%ld\n", result.Boss);
    }
    return 0;
}
