// A participant that reaches the block after the failure goes straight to the rescue; what was sent before the block
// or by a role outside of it is not lost.
// expect: 4 11 22 33
// expect: 2: the rescue, after a retry
#include <chorex.h>
#include <stdio.h>
#include <unistd.h>

choreography(late, (Alice, Bob, Carol),
    int  Bob.slowly(int n);
    void Alice.fail(void);
    def run() -> Bob.{int, int, int, int} {
        Bob.int how = 0;
        Bob.int x = 0;
        Alice.(11) ~> Bob.before;
        Carol.(22) ~> Bob.outside;
        Bob.before = slowly(before);
        checkpoint {
            Alice.(1) ~> Bob.x;
            Alice.(2) ~> Bob.x;
            Alice.fail();
            Alice.(3) ~> Bob.x;
            Bob.how = x;
        } rescue {
            Alice.(4) ~> Bob.x;
            Bob.how = x;
        }
        Carol.(33) ~> Bob.after;
        return Bob.{how, before, outside, after};
    }
    def retried() -> Bob.int {
        Bob.int n = 0;
        Alice.(5) ~> Bob.first;
        Bob.first = slowly(first);
        checkpoint retry 1 {
            Alice.fail();
            Alice.(1) ~> Bob.n;
        } rescue {
            Alice.(2) ~> Bob.n;
        }
        return Bob.(first == 5 ? n : -1);
    }
)

#include "late.Alice.chor.h"
#include "late.Bob.chor.h"
#include "late.Carol.chor.h"

int Bob_slowly(int n)
{
    usleep(50 * 1000);
    return n;
}

void Alice_fail(void) { chx_fail("too early"); }

int main(void)
{
    struct late_run_result r;
    if (late_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d %d %d\n", r.Bob.v0, r.Bob.v1, r.Bob.v2, r.Bob.v3);
    struct late_retried_result again;
    if (late_retried(&again, NULL) != CHX_OK)
        return 1;
    printf("%d: the rescue, after a retry\n", again.Bob);
    return 0;
}
