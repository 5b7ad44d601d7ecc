// `retry` does the block again from the saved state, then goes to the rescue; without one, to the enclosing block.
// expect: 0 failures: 1 x 1, none
// expect: 2 failures: 1 x 1, none
// expect: 3 failures: 1 x 1, none
// expect: 4 failures: 100 x 0, rescued
// expect: 9 failures: 100 x 0, rescued
// expect: inner retries, outer rescue: 7 after 6 attempts
//! no-process: its roles share globals
#include <chorex.h>
#include <stdio.h>

choreography(again, (Alice, Bob),
    void Alice.may_fail(void);
    def run() -> Bob.{int, int, chx_str} {
        Bob.int n = 0;
        Alice.int k = 0;
        Bob.chx_str how = chx_strf("%s", "none");
        checkpoint retry 3 {
            Bob.n += 1;
            Alice.k += 1;
            Bob.how = chx_strf("attempt %d", n);
            Alice.k ~> Bob.seen;
            Alice.may_fail();
            Bob.n = n * seen;
            Bob.how = chx_strf("%s", "none");
        } rescue {
            Alice.(k + 100) ~> Bob.seen;
            Bob.n += seen;
            Bob.how = chx_strf("%s", "rescued");
        }
        return Bob.{n, n < 100, how};
    }
    def twice() -> Bob.int {
        Bob.int n = 0;
        checkpoint retry 1 {
            Bob.n += 1;
            checkpoint retry 2 {
                Alice.may_fail();
                Bob.n += 10;
            }
        } rescue {
            Bob.n += 7;
        }
        return Bob.n;
    }
)

#include "again.Alice.chor.h"
#include "again.Bob.chor.h"

static int failures, attempts;

void Alice_may_fail(void)
{
    attempts++;
    if (failures-- > 0)
        chx_fail("once more");
}

int main(void)
{
    static const int counts[] = {0, 2, 3, 4, 9};
    for (unsigned i = 0; i < 5; i++) {
        struct again_run_result r;
        failures = counts[i];
        if (again_run(&r, NULL) != CHX_OK)
            return 1;
        printf("%d failures: %d x %d, %s\n", counts[i], r.Bob.v0, r.Bob.v1, chx_cstr(r.Bob.v2));
        again_run_result_drop(&r);
    }
    struct again_twice_result r;
    failures = 100;
    attempts = 0;
    if (again_twice(&r, NULL) != CHX_OK)
        return 1;
    printf("inner retries, outer rescue: %d after %d attempts\n", r.Bob, attempts);
    return 0;
}
