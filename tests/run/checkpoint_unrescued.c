// A failure in an outermost rescue, or in a block without a rescue, ends the session; the report counts the restarts.
// expect: in the rescue: Bob, second (line 21), 1 restarts
// expect: no rescue: Bob, only (line 28), 2 restarts
// expect: 1 failed
// expect: no rescue: fine: 3
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(unrescued, (Alice, Bob, Carol),
    void Bob.fail(const char *why);
    void Bob.work(bool works);
    def run() -> Carol.int {
        Carol.int n = 1;
        checkpoint {
            Alice.(2) ~> Bob.n;
            Bob.fail("first");
            Bob.n ~> Carol.n;
        } rescue {
            Carol.n += 1;
            Bob.fail("second");
        }
        return Carol.n;
    }
    def bare() -> Alice.int {
        checkpoint retry 2 {
            checkpoint {
                Bob.fail("only");
            }
        }
        Bob.(1) ~> Alice.n;
        return Alice.n;
    }
    def may(Bob.bool works) -> Alice.int {
        Alice.int n = 0;
        checkpoint {
            Bob.work(works);
            Bob.(3) ~> Alice.n;
        }
        return Alice.n;
    }
)

#include "unrescued.Alice.chor.h"
#include "unrescued.Bob.chor.h"
#include "unrescued.Carol.chor.h"

void Bob_fail(const char *why) { chx_fail("%s", why); }

void Bob_work(bool works)
{
    if (!works)
        chx_fail("does not work");
}

int main(void)
{
    struct unrescued_run_result r;
    if (unrescued_run(&r, NULL) != CHX_FAILED)
        return 1;
    const chx_report *report = chx_last_report();
    printf("in the rescue: %s, %s (line %d), %u restarts\n", report->role, report->why, report->line,
           report->restarts);
    struct unrescued_bare_result bare;
    if (unrescued_bare(&bare, NULL) != CHX_FAILED)
        return 1;
    report = chx_last_report();
    printf("no rescue: %s, %s (line %d), %u restarts\n", report->role, report->why, report->line, report->restarts);
    struct unrescued_may_result may;
    printf("%d failed\n", unrescued_may(&may, NULL, false) == CHX_FAILED);
    if (unrescued_may(&may, NULL, true) != CHX_OK)
        return 1;
    printf("no rescue: fine: %d\n", may.Alice);
    return 0;
}
