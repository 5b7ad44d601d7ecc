// Blocks of more roles than most have, again and again, one within the other, beside a role that is in none.
// expect: 251 117 234 251
#include <chorex.h>
#include <stdio.h>

choreography(many, (R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15, R16, Out),
    void R16.fail(int round);
    def around(R0.int x) -> R0.int {
        R0.(x + 1) ~> R1.x;
        R1.(x + 1) ~> R2.x;
        R2.(x + 1) ~> R3.x;
        R3.(x + 1) ~> R4.x;
        R4.(x + 1) ~> R5.x;
        R5.(x + 1) ~> R6.x;
        R6.(x + 1) ~> R7.x;
        R7.(x + 1) ~> R8.x;
        R8.(x + 1) ~> R9.x;
        R9.(x + 1) ~> R10.x;
        R10.(x + 1) ~> R11.x;
        R11.(x + 1) ~> R12.x;
        R12.(x + 1) ~> R13.x;
        R13.(x + 1) ~> R14.x;
        R14.(x + 1) ~> R15.x;
        R15.(x + 1) ~> R16.x;
        R16.(x + 1) ~> R0.x;
        return R0.x;
    }
    def run() -> R0.int, Out.{int, int, int} {
        R0.int sum = 0;
        Out.int heard[3] = {0};
        for ({R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15, R16}.int i = 0; {R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15, R16}.(i < 3); {R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, R15, R16}.i++) {
            checkpoint {
                checkpoint {
                    R0.sum = around(R0.sum);
                    R16.fail(i);
                } rescue {
                    R0.sum = around(R0.(sum + 100));
                }
            } rescue {
                R0.sum = -1;
            }
            R0.{i, sum} ~> Out.{int at, int n};
            Out.heard[at] = n;
        }
        return R0.sum, Out.{heard[0], heard[1], heard[2]};
    }
)

#include "many.R0.chor.h"
#include "many.R1.chor.h"
#include "many.R2.chor.h"
#include "many.R3.chor.h"
#include "many.R4.chor.h"
#include "many.R5.chor.h"
#include "many.R6.chor.h"
#include "many.R7.chor.h"
#include "many.R8.chor.h"
#include "many.R9.chor.h"
#include "many.R10.chor.h"
#include "many.R11.chor.h"
#include "many.R12.chor.h"
#include "many.R13.chor.h"
#include "many.R14.chor.h"
#include "many.R15.chor.h"
#include "many.R16.chor.h"
#include "many.Out.chor.h"

void R16_fail(int round)
{
    if (round < 2)
        chx_fail("in round %d", round);
}

int main(void)
{
    struct many_run_result r;
    if (many_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d %d %d\n", r.R0, r.Out.v0, r.Out.v1, r.Out.v2);
    return 0;
}
