// A role fails in the middle of a choreography: everybody is stopped, and the caller learns who failed, why and where.

#include <chorex.h>
#include <stdio.h>

choreography(oven, (Cook, Oven),
    int  Oven.bake(int degrees);
    void Cook.serve(int minutes);

    def run(Cook.int degrees) -> Cook.int {
        Cook.degrees ~> Oven.degrees;
        Oven.bake(degrees) ~> Cook.minutes;
        Cook.serve(minutes);
        return Cook.minutes;
    }
)

#include "oven.Cook.chor.h"
#include "oven.Oven.chor.h"

int Oven_bake(int degrees)
{
    if (degrees > 300)
        chx_fail("%d degrees are too hot", degrees);
    return 9000 / degrees;
}

void Cook_serve(int minutes)
{
    printf("done after %d minutes\n", minutes);
}

static void bake(int degrees)
{
    struct oven_run_result result;
    if (oven_run(&result, NULL, degrees) == CHX_OK)
        return;
    const chx_report *report = chx_last_report();
    printf("no cake: %s failed at line %d: %s\n", report->role, report->line, report->why);
}

int main(void)
{
    bake(200);
    bake(500);
    bake(180);
    return 0;
}

// expect: done after 45 minutes
// expect: no cake: Oven failed at line 12: 500 degrees are too hot
// expect: done after 50 minutes
