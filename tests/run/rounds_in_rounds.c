// Checkpointed loops in one another and in ordinary loops, of some of four roles each.
// expect: 66 54 61 61
#include <chorex.h>
#include <stdio.h>

choreography(nest, (A, B, C, D),
    void B.may_fail(int n);
    void C.may_fail(int n);
    def run(A.int n) -> A.int, B.int, C.int, D.int {
        {A, B}.int i = 0;
        A.int x = 0;
        B.int y = 0;
        C.int z = 0;
        D.int d = 1;
        A.n ~> D.k;
        checkpoint retry 1 while ({A, B}.(i < 4)) {
            {A, B}.i++;
            B.int j = 0;
            for (C.int q = 0; C.(q < 2); C.q++) {
                checkpoint for (;;) {
                    B.j++;
                    B.may_fail(i * 10 + j);
                    B.j ~> C.w;
                    C.z += w;
                    C.may_fail(z);
                    if (B.(j >= 3)) {
                        break;
                    }
                    checkpoint while (C.(z % 3 != 0)) {
                        C.z++;
                        C.z ~> B.y;
                    } rescue {
                        C.z = 3;
                        C.z ~> B.y;
                    }
                } rescue (f) {
                    B.y += 5;
                    C.z += 1;
                    B.j = 7;
                    if ({B, C}.(f.kind == CHX_FAULT_DEADLINE)) {
                        break;
                    }
                }
            }
            C.z ~> A.x;
            A.x ~> D.d;
        } rescue {
            {A, B}.i++;
            A.x = 1000;
            A.x ~> D.d;
            C.z = 0;
        }
        D.(d + k) ~> A.x;
        return A.x, B.y, C.z, D.d;
    }
)

#include "nest.A.chor.h"
#include "nest.B.chor.h"
#include "nest.C.chor.h"
#include "nest.D.chor.h"

void B_may_fail(int n)
{
    if (n == 22 || n == 31)
        chx_fail("B %d", n);
}

void C_may_fail(int n)
{
    if (n == 14 || n == 17)
        chx_fail("C %d", n);
}

int main(void)
{
    struct nest_run_result result;
    if (nest_run(&result, NULL, 5) != CHX_OK)
        return 1;
    printf("%d %d %d %d\n", result.A, result.B, result.C, result.D);
    return 0;
}
