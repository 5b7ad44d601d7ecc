// Any subset of the roles may be isolated: the same choreography, with failures, gives the same results for all of them.
// expect: 16 casts: 200 210 220 230, rescued 25
//! no-central
#include <chorex.h>
#include <stdio.h>

choreography(subsets, (A, B, C, D),
    def run(A.int rounds) -> A.int, B.int, C.int, D.{int, int} {
        A.int a = 0;
        B.int b = 10;
        C.int c = 20;
        D.int d = 30;
        D.int rescued = 0;
        A.rounds ~> {A, B, C, D}.n;
        while ({A, B, C, D}.(n > 0)) {
            checkpoint {
                A.(n) ~> B.x;
                B.x ~> C.x;
                C.x ~> D.x;
                switch (D.(x % 8)) {
                case 1:
                    A.(chx_fail("A in round %d", n));
                    break;
                case 3:
                    B.(chx_fail("B in round %d", n));
                    break;
                case 5:
                    C.(chx_fail("C in round %d", n));
                    break;
                case 7:
                    D.(chx_fail("D in round %d", n));
                    break;
                default:
                    break;
                }
                D.x ~> A.y;
                A.a += y == n ? 4 : 0;
                B.b += 4;
                C.c += 4;
                D.d += 4;
            } rescue (fault) {
                D.rescued += 1;
                D.{fault.kind, n} ~> {A, B, C}.{k, int m};
                A.a += k == CHX_FAULT_FAIL && m == n ? 4 : 0;
                B.b += m == n ? 4 : 0;
                C.c += 4;
                D.d += 4;
            }
            {A, B, C, D}.n = n - 1;
        }
        return A.a, B.b, C.c, D.{d, rescued};
    }
)

#include "subsets.A.chor.h"
#include "subsets.B.chor.h"
#include "subsets.C.chor.h"
#include "subsets.D.chor.h"

int main(void)
{
    for (unsigned i = 0; i < 16; i++) {
        struct subsets_cast cast = {.A = {.isolation = i & 1 ? CHX_PROCESS : CHX_THREAD},
                                    .B = {.isolation = i & 2 ? CHX_PROCESS : CHX_THREAD},
                                    .C = {.isolation = i & 4 ? CHX_PROCESS : CHX_THREAD},
                                    .D = {.isolation = i & 8 ? CHX_PROCESS : CHX_THREAD}};
        struct subsets_run_result r;
        if (subsets_run(&r, &cast, 50) != CHX_OK) {
            printf("cast %u: %s\n", i, chx_last_report()->why);
            return 1;
        }
        if (r.A != 200 || r.B != 210 || r.C != 220 || r.D.v0 != 230 || r.D.v1 != 25)
            printf("cast %u: %d %d %d %d, rescued %d\n", i, r.A, r.B, r.C, r.D.v0, r.D.v1);
    }
    printf("16 casts: 200 210 220 230, rescued 25\n");
    return 0;
}
