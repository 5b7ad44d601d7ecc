// A definition with role parameters can be started from C: its role parameters are the roles of a choreography of its own.
//! no-central
// expect: 110, the last is 30
// expect: 6
// expect: 63
#include <chorex.h>
#include <stdio.h>

choreography(farm, (Queue, Worker[]),
    def collect[W[], Boss](W[*].int x) -> Boss.int, W[*].int {
        Boss.int sum = 0;
        for (w : W) {
            Boss.int one = ask[Boss, w](w.x);
            Boss.sum += one;
        }
        return Boss.sum, W[*].x;
    }
    def ask[Who, Whom](Whom.int x) -> Who.int {
        Whom.weigh(x) ~> Who.int y;
        return Who.y;
    }
    // Nobody calls it here.
    def down[A, B](A.int n) -> A.int, B.int {
        if (A.(n <= 0)) {
            return A.(0), B.(0);
        }
        A.(n - 1) ~> B.int m;
        B.int b, A.int a = down[B, A](B.m);
        return A.(a + n), B.b;
    }
    def run(Worker[*].int x) -> Queue.int {
        Queue.int sum, Worker[*]._ = collect[Worker, Queue](Worker[*].x);
        return Queue.sum;
    }
)

#include "farm.Queue.chor.h"
#include "farm.Worker.chor.h"
#include "farm_collect.Boss.chor.h"
#include "farm_collect.W.chor.h"
#include "farm_down.A.chor.h"
#include "farm_down.B.chor.h"

int Worker_weigh(int x) { return x; }
int W_weigh(int x) { return x * 2 - (int)chx_role_index() * 10 + 10; }

int main(void)
{
    static const int x[] = {10, 20, 30};
    struct farm_collect_cast cast = {.W = {.count = 3}};
    struct farm_collect_run_result r;
    if (farm_collect_run(&r, &cast, x) != CHX_OK)
        return 1;
    printf("%d, the last is %d\n", r.Boss - 10, r.W.item[2]);
    farm_collect_run_result_drop(&r);
    struct farm_down_run_result d;
    if (farm_down_run(&d, NULL, 3) != CHX_OK)
        return 1;
    printf("%d\n", d.A + d.B);
    struct farm_run_result f;
    static const int y[] = {1, 2, 3, 57};
    if (farm_run(&f, &(struct farm_cast){.Worker = {.count = 4}}, y) != CHX_OK)
        return 1;
    printf("%d\n", f.Queue);
    return 0;
}
