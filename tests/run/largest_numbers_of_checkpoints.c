// The largest numbers of attempts and the longest times that there are: a block fails, is tried again, and ends; a
// deadline of a century does not pass; where nothing helps, the enclosing block's rescue is reached.
// expect: 4 attempts
// expect: rescued by the outer block
//! no-process: its roles share globals
#include <chorex.h>
#include <stdio.h>

choreography(largest, (Alice, Bob),
    void Alice.may_fail(int n);
    def run(Alice.int n) -> Bob.int {
        Bob.int m = 0;
        checkpoint retry 1000000000 within 52560000min {
            Alice.may_fail(n);
            Alice.n ~> Bob.m;
        } rescue {
            Bob.m = -1;
        }
        return Bob.m;
    }
    def outer() -> Bob.bool {
        checkpoint within 3153600000s {
            checkpoint within 3153600000000000us retry 2 {
                Alice.may_fail(1000);
                Alice.(1) ~> Bob._;
            }
            return Bob.(false);
        } rescue {
            return Bob.(true);
        }
    }
)

#include "largest.Alice.chor.h"
#include "largest.Bob.chor.h"

static int attempts;

void Alice_may_fail(int n)
{
    if (++attempts <= n)
        chx_fail("not yet");
}

int main(void)
{
    struct largest_run_result r;
    if (largest_run(&r, NULL, 3) != CHX_OK || r.Bob != 3)
        return 1;
    printf("%d attempts\n", attempts);
    attempts = 0;
    struct largest_outer_result outer;
    if (largest_outer(&outer, NULL) != CHX_OK || !outer.Bob)
        return 1;
    puts("rescued by the outer block");
    return 0;
}
