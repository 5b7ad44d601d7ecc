// Roles that do nothing in a block don't notice it, unless body and rescue go on differently for them.
// expect: outside: 1 2 3 4, 7
// expect: returned: -1
// expect: went on: 5
// expect: fifty: 25 of 50
#include <chorex.h>
#include <stdio.h>

choreography(outside, (Alice, Bob, Carol, Dave),
    void Alice.may_fail(bool fails);
    def run() -> Carol.{int, int, int, int}, Bob.int {
        Carol.(1) ~> Dave.one;
        Bob.int b = 0;
        checkpoint {
            Alice.may_fail(true);
            Alice.(6) ~> Bob.b;
        } rescue {
            Alice.(7) ~> Bob.b;
        }
        Dave.(one + 1) ~> Carol.two;
        Carol.(3) ~> Dave.three;
        Dave.three ~> Carol.three;
        Bob.(4) ~> Carol.four;
        return Carol.{1, two, three, four}, Bob.b;
    }
    def leave(Alice.bool fails) -> Dave.int {
        Dave.int n = -1;
        checkpoint {
            Alice.may_fail(fails);
        } rescue {
            return Dave.n;
        }
        Dave.(5) ~> Carol.five;  // Carol would wait for it in vain
        Carol.five ~> Dave.n;
        return Dave.n;
    }
    def half(Alice.int i) -> Bob.int {
        Bob.int n = 0;
        while (Alice.(i > 0)) {
            Alice.i -= 1;
            checkpoint {
                Alice.may_fail(i % 2 == 0);
                Alice.i ~> Bob.x;
                Bob.n += x % 2;
            } rescue {
                continue;
            }
        }
        return Bob.n;
    }
)

#include "outside.Alice.chor.h"
#include "outside.Bob.chor.h"
#include "outside.Carol.chor.h"
#include "outside.Dave.chor.h"

void Alice_may_fail(bool fails)
{
    if (fails)
        chx_fail("as wanted");
}

int main(void)
{
    struct outside_run_result r;
    if (outside_run(&r, NULL) != CHX_OK)
        return 1;
    printf("outside: %d %d %d %d, %d\n", r.Carol.v0, r.Carol.v1, r.Carol.v2, r.Carol.v3, r.Bob);
    struct outside_leave_result left;
    if (outside_leave(&left, NULL, true) != CHX_OK)
        return 1;
    printf("returned: %d\n", left.Dave);
    if (outside_leave(&left, NULL, false) != CHX_OK)
        return 1;
    printf("went on: %d\n", left.Dave);
    struct outside_half_result half;
    if (outside_half(&half, NULL, 50) != CHX_OK)
        return 1;
    printf("fifty: %d of 50\n", half.Bob);
    return 0;
}
