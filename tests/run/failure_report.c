// chx_fail outside of every checkpoint ends the session; the report names role, cause and place.
// expect: Bob: 7 is too much (failure_report.c:12, kind 0, signal 0)
// expect: still works: 3
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(failing, (Alice, Bob, Carol),
    int Bob.check(int n);
    def run(Alice.int n) -> Carol.int {
        Alice.n ~> Bob.n;
        Bob.check(n) ~> Carol.m;
        return Carol.m;
    }
)

#include "failing.Alice.chor.h"
#include "failing.Bob.chor.h"
#include "failing.Carol.chor.h"

int Bob_check(int n)
{
    if (n > 5)
        chx_fail("%d is too much", n);
    return n;
}

int main(void)
{
    struct failing_run_result r = {-1};
    if (failing_run(&r, NULL, 7) != CHX_FAILED)
        return 1;
    const chx_report *report = chx_last_report();
    const char *slash = strrchr(report->file, '/');
    printf("%s: %s (%s:%d, kind %d, signal %d)\n", report->role, report->why, slash ? slash + 1 : report->file,
           report->line, report->kind, report->signal);
    if (failing_run(&r, NULL, 3) != CHX_OK)
        return 1;
    printf("still works: %d\n", r.Carol);
    return 0;
}
