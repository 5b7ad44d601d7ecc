// CHOREX_STORE=none runs definitions with durable blocks as ordinary ones; without anything said they are refused.
// expect: there are durable blocks and no store
// expect: 12 after 1 rescue
//! no-central
//! no-sim: on a simulated machine durable blocks are ordinary ones
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

choreography(kept, (Ann, Bob),
    int Ann.number(int n);
    def run(Ann.int n) -> Bob.int {
        Bob.sum = 0;
        Bob.rescues = 0;
        checkpoint durable while (Ann.(n > 0)) {
            Ann.number(n) ~> Bob.got;
            Bob.sum += got;
            Ann.n = n - 1;
        } rescue {
            Bob.rescues++;
            Ann.n = n - 1;
        }
        return Bob.(sum * 100 + rescues);
    }
)

#include "kept.Ann.chor.h"
#include "kept.Bob.chor.h"

int Ann_number(int n)
{
    if (n == 3)
        chx_fail("not this one");
    return n;
}

int main(void)
{
    struct kept_run_result r;
    unsetenv("CHOREX_STORE");
    if (kept_run(&r, NULL, 5) != CHX_OK)
        printf("%.37s\n", chx_last_report()->why);
    setenv("CHOREX_STORE", "none", 1);
    if (kept_run_wait(kept_run_open(NULL, "a name", NULL, 5), &r) != CHX_OK)
        return 1;
    printf("%d after %d rescue\n", r.Bob / 100, r.Bob % 100);
    return 0;
}
