// A failure belongs to the innermost block, one in a rescue to the enclosing block; a deadline is a failure too; every
// participant sees the same fault.
//! no-sim
// expect: inner: 1
// expect: outer: 2 (Worker failed: no luck)
// expect: slow: 3
// expect: unrescued: Worker failed: nobody catches this
//! no-process: its roles share globals
#include <chorex.h>
#include <stdio.h>
#include <unistd.h>

choreography(nested, (Boss, Worker),
    int  Worker.work(int mode);
    int  Worker.retry(int mode);
    void Boss.note(const char *role, const char *why);

    def run(Boss.int mode) -> Boss.int {
        Boss.mode ~> Worker.mode;
        if (Boss.(mode == 3)) {
            Worker.work(mode) ~> Boss.r; // no block: the session ends
            return Boss.r;
        }
        Boss.int r = 0;
        checkpoint {
            checkpoint within 200ms {
                Worker.work(mode) ~> Boss.r;
            } rescue (fault) {
                if ({Boss, Worker}.(fault.kind == CHX_FAULT_DEADLINE)) { // agreed: costs no message
                    Boss.r = 3;
                } else {
                    Worker.retry(mode) ~> Boss.r;
                }
            }
        } rescue (fault) {
            Boss.note(fault.role, fault.why);
            Boss.r = 2;
        }
        return Boss.r;
    }
)

#include "nested.Boss.chor.h"
#include "nested.Worker.chor.h"

static char noted[128];

int Worker_work(int mode)
{
    if (mode == 2)
        sleep(1);
    if (mode == 3)
        chx_fail("nobody catches this");
    chx_fail("first try");
}

int Worker_retry(int mode)
{
    if (mode == 1)
        chx_fail("no luck");
    return 1;
}

void Boss_note(const char *role, const char *why) { snprintf(noted, sizeof noted, "%s failed: %s", role, why); }

int main(void)
{
    struct nested_run_result r;
    if (nested_run(&r, NULL, 0) != CHX_OK)
        return 1;
    printf("inner: %d\n", r.Boss);
    if (nested_run(&r, NULL, 1) != CHX_OK)
        return 1;
    printf("outer: %d (%s)\n", r.Boss, noted);
    if (nested_run(&r, NULL, 2) != CHX_OK)
        return 1;
    printf("slow: %d\n", r.Boss);
    if (nested_run(&r, NULL, 3) != CHX_FAILED)
        return 1;
    const chx_report *report = chx_last_report();
    printf("unrescued: %s failed: %s\n", report->role, report->why);
    return 0;
}
