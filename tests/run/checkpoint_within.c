// `within` makes a failure of a block that is not over in time, for each attempt; one that is, is not disturbed.
//! no-sim
// expect: in time: 1
// expect: too late: -4 (deadline)
// expect: failed before: -0 (no)
// expect: retried: 9, 3 calls
// expect: enclosed: 1, Worker was late
//! no-process: its roles share globals
#include <chorex.h>
#include <stdio.h>
#include <unistd.h>

choreography(slow, (Boss, Worker),
    int Worker.work(int mode);
    const char *Boss.name(chx_fault_kind kind, const char *why);
    def run(Boss.int mode) -> Boss.{int, chx_str} {
        Boss.mode ~> Worker.mode;
        Boss.int r = 0;
        Boss.chx_str how = {0};
        checkpoint within 100ms {
            Worker.work(mode) ~> Boss.r;
        } rescue (fault) {
            Boss.how = chx_strf("%s", name(fault.kind, fault.why));
            if ({Boss, Worker}.(fault.kind == CHX_FAULT_DEADLINE)) {
                Worker.(4) ~> Boss.r;
            }
        }
        return Boss.{r, how};
    }
    def repeated() -> Boss.int {
        Boss.int r = 0;
        checkpoint within 300ms retry 2 {
            Worker.work(5) ~> Boss.r;
        } rescue {
            Boss.r = -1;
        }
        return Boss.r;
    }
    def enclosed() -> Boss.{int, chx_str} {
        Boss.int r = 0;
        Boss.chx_str how = {0};
        checkpoint {
            checkpoint within 100ms {
                Boss.r = 7;
                Worker.work(2);
            }
            Boss.r = 8;
        } rescue (fault) {
            Boss.r += 1;
            Boss.how = chx_strf("%s was %s", fault.role, fault.kind == CHX_FAULT_DEADLINE ? "late" : fault.why);
        }
        return Boss.{r, how};
    }
)

#include "slow.Boss.chor.h"
#include "slow.Worker.chor.h"

static int calls;

int Worker_work(int mode)
{
    if (mode == 2)
        usleep(400 * 1000);
    if (mode == 3)
        chx_fail("no");
    if (mode == 5 && calls++ < 2)
        usleep(1000 * 1000); // longer than all attempts together; one attempt for each call all the same
    return mode == 5 ? 9 : 1;
}

const char *Boss_name(chx_fault_kind kind, const char *why)
{
    return kind == CHX_FAULT_DEADLINE ? "deadline" : why;
}

int main(void)
{
    struct slow_run_result r;
    if (slow_run(&r, NULL, 1) != CHX_OK)
        return 1;
    printf("in time: %d\n", r.Boss.v0);
    slow_run_result_drop(&r);
    if (slow_run(&r, NULL, 2) != CHX_OK)
        return 1;
    printf("too late: -%d (%s)\n", r.Boss.v0, chx_cstr(r.Boss.v1));
    slow_run_result_drop(&r);
    if (slow_run(&r, NULL, 3) != CHX_OK)
        return 1;
    printf("failed before: -%d (%s)\n", r.Boss.v0, chx_cstr(r.Boss.v1));
    slow_run_result_drop(&r);
    struct slow_repeated_result again;
    if (slow_repeated(&again, NULL) != CHX_OK)
        return 1;
    printf("retried: %d, %d calls\n", again.Boss, calls);
    struct slow_enclosed_result enclosed;
    if (slow_enclosed(&enclosed, NULL) != CHX_OK)
        return 1;
    printf("enclosed: %d, %s\n", enclosed.Boss.v0, chx_cstr(enclosed.Boss.v1));
    slow_enclosed_result_drop(&enclosed);
    return 0;
}
