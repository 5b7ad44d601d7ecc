// Members crash and are restarted alone.
//! no-sanitizer
// expect: 10000
// expect: 10017
// expect: 10035
// expect: Worker[2]: no 12
// expect: Worker[2]: SIGABRT (abort)
// expect: 101059
// expect: Worker[2]: no 12
// expect: Worker[2]: SIGABRT (abort)
// expect: 101086
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

choreography(crash, (Boss, Worker[]),
    int Worker.work(int x);
    def run(Boss.int n) -> Boss.long {
        Boss.long sum = 0;
        Worker[*].int own = 5;
        for (w : Worker) {
            checkpoint {
                Boss.(n + (int)w) ~> w.x;
                w.own = 7;
                w.(work(x) + own) ~> Boss.r;
                Boss.sum += r;
            } rescue (fault) {
                Boss.(sum += 1000);
                Boss.note(fault.role, fault.why);
                w.own ~> Boss.o;
                Boss.sum += o;
            }
        }
        checkpoint {
            Worker[*].(work((int)chx_role_index() * 3));
            Boss.(sum += 10000);
        } rescue (fault) {
            Boss.note(fault.role, fault.why);
            Boss.(sum += 100000);
            for (w : Worker) { w.own ~> Boss.o; Boss.sum += o; }
        }
        return Boss.sum;
    }
)
#include "crash.Boss.chor.h"
#include "crash.Worker.chor.h"

static void Boss_note(const char *role, const char *why)
{
    printf("%s: %s\n", role, why);
}
static int Worker_work(int x)
{
    if (x == 12)
        chx_fail("no %d", x);
    if (x == 6)
        abort();
    return x;
}

int main(void)
{
    struct crash_run_result result;
    for (size_t n = 0; n < 5; n++) {
        struct crash_cast cast = {.Worker = {.count = n}};
        if (crash_run(&result, &cast, 10) != CHX_OK)
            printf("%s: %s at %d\n", chx_last_report()->role, chx_last_report()->why, chx_last_report()->line);
        else
            printf("%ld\n", result.Boss);
    }
    return 0;
}
