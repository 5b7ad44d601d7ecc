// A cast can limit how often a role is restarted: a crash loop then ends the session, with a report that says so.
// expect: no limit: success, 10 rescues
// expect: limit 10: success, 10 rescues
// expect: limit 9: a role failed: Alice: again and again (and more restarts than the cast allows), 9 restarts
// expect: limit 3000: success, 2500 rescues
// expect: limit 1500 in 1 h: a role failed: Alice: again and again (and more restarts than the cast allows), 1500 restarts
// expect: 3 in 10 s: a role failed: Alice: again and again (and more restarts than the cast allows), 3 restarts
//! no-central
#include <chorex.h>
#include <stdio.h>

choreography(limit, (Alice, Bob),
    int Alice.fail(void);

    def run(Alice.int rounds) -> Bob.int {
        Bob.int rescues = 0;
        for (Alice.int i = 0; Alice.(i < rounds); Alice.i++) {
            checkpoint {
                Alice.fail() ~> Bob._;
            } rescue {
                Bob.rescues++;
            }
        }
        return Bob.rescues;
    }
)

#include "limit.Alice.chor.h"
#include "limit.Bob.chor.h"

int Alice_fail(void)
{
    chx_fail("again and again");
}

static void try(const char *name, unsigned restarts_max, unsigned restarts_period_ms, int rounds)
{
    struct limit_cast cast = {
        .Alice = {.restarts_max = restarts_max, .restarts_period_ms = restarts_period_ms},
    };
    struct limit_run_result result;
    chx_status status = limit_run(&result, &cast, rounds);
    printf("%s: %s", name, chx_status_text(status));
    const chx_report *report = chx_last_report();
    if (status == CHX_OK)
        printf(", %d rescues\n", result.Bob);
    else
        printf(": %s: %s, %u restarts\n", report->role, report->why, report->restarts);
}

int main(void)
{
    try("no limit", 0, 0, 10);
    try("limit 10", 10, 0, 10);
    try("limit 9", 9, 0, 10);
    try("limit 3000", 3000, 0, 2500);
    try("limit 1500 in 1 h", 1500, 3600000, 2500);
    try("3 in 10 s", 3, 10000, 10);
    return 0;
}
