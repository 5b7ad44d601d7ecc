// A role whose branches begin with a receive from the same role needs no message of its own about the choice.
// expect: 1 -2 30
#include <chorex.h>
#include <stdio.h>

choreography(alike, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        if (Alice.(n > 0)) {
            Alice.n ~> Bob.x;
            return Bob.x;
        } else {
            Alice.(-n) ~> Bob.y;
            return Bob.(-y);
        }
    }
    def three(Alice.int n, Bob.int k) -> Bob.int {
        switch (Alice.n) {
        case 1: Alice.(10) ~> Bob.x; Bob.k = k + x; break;
        case 2: Alice.("text") ~> Bob.const char *s; Bob.k = s[0] == 't' ? 30 : 0; break;
        default:
            if (Alice.(n > 5)) {
                Alice.(2.5) ~> Bob.double d;
                Bob.k = (int)d;
            } else {
                Alice.(1) ~> Bob._;
                Bob.k = 0;
            }
            break;
        }
        return Bob.k;
    }
)

#include "alike.Alice.chor.h"
#include "alike.Bob.chor.h"

int main(void)
{
    struct alike_run_result a, b;
    struct alike_three_result t;
    if (alike_run(&a, NULL, 1) != CHX_OK || alike_run(&b, NULL, -2) != CHX_OK || alike_three(&t, NULL, 2, 5) != CHX_OK)
        return 1;
    printf("%d %d %d\n", a.Bob, b.Bob, t.Bob);
    return 0;
}
