// A role that fails while it finds the place for a received value or a result: the report names that line.
// expect: 1: Bob, line 19
// expect: 2: Bob, line 22
#include <chorex.h>
#include <stdio.h>

choreography(target, (Alice, Bob),
    int Bob.index(int way, int of);

    def run({Alice, Bob}.int way) -> Bob.int {
        Bob.int a[2] = {0};
        if ({Alice, Bob}.(way == 1)) {
            Bob.a[0] = 1;


            Alice.(3)
                ~> Bob._;
            // The line of the delivery, not of the step before it.
            Alice.(4) ~> Bob.a[index(way, 1)];
        }
        Bob.a[1] = 2;
        Bob.a[index(way, 2)] = four();
        return Bob.(a[0] + a[1]);
    }
    def four() -> Bob.int {
        return Bob.(4);
    }
)

#include "target.Alice.chor.h"
#include "target.Bob.chor.h"

static int Bob_index(int way, int of)
{
    if (way == of)
        chx_fail("no such index");
    return 0;
}

int main(void)
{
    for (int way = 1; way <= 2; way++) {
        if (target_run(NULL, NULL, way) == CHX_OK)
            return 1;
        const chx_report *report = chx_last_report();
        printf("%d: %s, line %d\n", way, report->role, report->line);
    }
    return 0;
}
