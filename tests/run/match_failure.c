// A value that is not the one to match makes the receiver fail.
// expect: Bob, 1, line 9
// expect: Bob, 1, line 10
#include <chorex.h>
#include <stdio.h>

choreography(mismatch, (Alice, Bob),
    def run(Alice.int x, Alice.const char *text) -> Bob.int {
        Alice.x ~> Bob.(1);
        Alice.{2, text} ~> Bob.{int y, ("yes")};
        return Bob.y;
    }
)

#include "mismatch.Alice.chor.h"
#include "mismatch.Bob.chor.h"

static void try(int x, const char *text)
{
    struct mismatch_run_result r;
    if (mismatch_run(&r, NULL, x, text) == CHX_FAILED) {
        const chx_report *report = chx_last_report();
        printf("%s, %d, line %d\n", report->role, report->kind == CHX_FAULT_PATTERN, report->line);
    }
}

int main(void)
{
    try(1, "yes");
    try(2, "yes");
    try(1, "no");
    return 0;
}
