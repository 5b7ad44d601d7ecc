// A role that nobody plays: the session does not start, and the report names the role.
//! no-central
// expect: Bob is not there
// expect: start fails too
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(uncast, (Alice, Bob),
    def run(Alice.int x) -> Bob.int {
        Alice.x ~> Bob.y;
        return Bob.y;
    }
)

#include "uncast.Alice.chor.h"

int main(void)
{
    struct uncast_run_result r;
    if (uncast_run(&r, NULL, 1) != CHX_UNCAST)
        return 1;
    const chx_report *report = chx_last_report();
    if (strcmp(report->role, "Bob") == 0 && strstr(report->why, "Bob") != NULL)
        printf("Bob is not there\n");
    if (uncast_run_start(NULL, NULL, 1) == NULL && strcmp(chx_last_report()->role, "Bob") == 0)
        printf("start fails too\n");
    return 0;
}
