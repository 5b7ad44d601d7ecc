// Families and members of families as role parameters.
// expect: 16953
#include <chorex.h>
#include <stdio.h>

choreography(params, (Boss, Worker[], Helper[], Log),
    int Worker.double_it(int x);
    def collect[W[], To](W[*].int x) -> To.int r[W] {
        To.int r[W];
        for (w : W) {
            w.(x + (int)W_count) ~> To.r[w];
        }
        return To.r;
    }
    def relay[From, To](From.int x) -> To.int {
        From.x ~> To.y;
        return To.(y + 1);
    }
    def ask[Who, Other](Boss.int n) -> Who.int {
        Boss.(n + (int)Who) ~> Who.x;
        Who.(x * 2) ~> Other.z;
        if (Other.(z > 10)) {
            Other.z ~> Who.x;
        }
        return Who.x;
    }
    def count_down[Who](Who.int n) -> Boss.int {
        if (Who.(n > 0)) {
            return count_down[Who](Who.(n - 1));
        }
        Who.n ~> Boss.left;
        return Boss.(left + (int)Who);
    }
    def run(Worker[*].int x, Helper[*].int h) -> Boss.long {
        Boss.r = collect[Worker, Boss](Worker[*].x);
        Log.s = collect[Helper, Log](Helper[*].h);
        Log.(s[0] + s[1]) ~> Boss.t;
        Boss.long sum = t;
        for (w : Worker) {
            Boss.a = relay[w, Boss](w.x);
            Boss.sum = sum * 10 + a + r[w];
            w.b = relay[Boss, w](Boss.r[w]);
            w.double_it(b) ~> Boss.c;
            Boss.sum += c;
            for (h : Helper) {
                h.e = relay[w, h](w.b);
                h.e ~> Boss.e;
                Boss.sum += e;
            }
            w.q = ask[w, Log](Boss.(5));
            w.q ~> Boss.q;
            Boss.sum += q;
            w.q2 = ask[w, Worker[0]](Boss.(1));
            w.q2 ~> Boss.q;
            Boss.sum += q;
            Boss.d = count_down[w](w.(3));
            Boss.sum += d;
        }
        Boss.l = relay[Worker[Worker_count - 1], Boss](Worker[Worker_count - 1].x);
        return Boss.(sum + l);
    }
)

#include "params.Boss.chor.h"
#include "params.Worker.chor.h"
#include "params.Helper.chor.h"
#include "params.Log.chor.h"

static int Worker_double_it(int x)
{
    return 2 * x;
}

int main(void)
{
    struct params_run_result result;
    int x[] = {1, 2, 3};
    int h[] = {4, 5};
    struct params_cast cast = {.Worker = {.count = 3}, .Helper = {.count = 2}};
    if (params_run(&result, &cast, x, h) != CHX_OK)
        printf("%s: %s at %d\n", chx_last_report()->role, chx_last_report()->why, chx_last_report()->line);
    printf("%ld\n", result.Boss);
    return 0;
}
