#include <chorex.h>
#include <stdio.h>

#define PROTOCOL 2

choreography(oven, (Cook, Oven),
    //[choreography]
    int Cook.protocol(void);
    int Oven.bake(int degrees);

    def run(Cook.int degrees) -> Cook.int {
        Cook.protocol() ~> Oven.(PROTOCOL);
        Cook.degrees ~> Oven.degrees;
        Oven.bake(degrees) ~> Cook.minutes;
        return Cook.minutes;
    }
    //[/choreography]
)

#include "oven.Cook.chor.h"
#include "oven.Oven.chor.h"

int Cook_protocol(void)
{
    return PROTOCOL;
}

//[bake]
int Oven_bake(int degrees)
{
    if (degrees > 300)
        chx_fail("%d degrees are too hot", degrees);
    return 9000 / degrees; // and what if degrees is 0?
}
//[/bake]

//[main]
static void bake(int degrees)
{
    struct oven_run_result result;
    if (oven_run(&result, NULL, degrees) == CHX_OK) {
        printf("done after %d minutes\n", result.Cook);
    } else {
        const chx_report *report = chx_last_report();
        printf("no cake: %s failed in line %d: %s\n", report->role, report->line, report->why);
    }
}

int main(void)
{
    bake(200);
    bake(500);
    bake(0);
    return 0;
}
//[/main]

//! no-sanitizer
