// Isolated roles in blocks ten thousand levels deep, with a failure at the bottom; and a thousand blocks in a row.
// expect: 10000 levels: 10007 10007
// expect: 1000 blocks: 1000, 250 of them rescued
//! no-central
//! no-sim
#include <chorex.h>
#include <stdio.h>

choreography(deep, (A, B),
    def level(A.int n, B.int n) -> A.int, B.int {
        A.int a = 0;
        B.int b = 0;
        checkpoint {
            if (A.(n > 0)) {
                A.a, B.b = level(A.(n - 1), B.(n - 1));
            } else {
                A.n ~> B.zero;
                B.(chx_fail("at the bottom: %d", zero));
            }
        } rescue {
            A.(7) ~> B.b;
            A.a = 7;
        }
        return A.(n > 0 ? a + 1 : a), B.(n > 0 ? b + 1 : b);
    }
    def run(A.int n, B.int n) -> A.int, B.int {
        return level(A.n, B.n);
    }
    def row(A.int blocks) -> B.{int, int} {
        B.int done = 0;
        B.int rescued = 0;
        for (A.int i = 0; A.(i < blocks); A.i++) {
            checkpoint {
                A.i ~> B.x;
                B.(x % 4 == 3 ? chx_fail("the fourth") : (void)0);
                B.done += 1;
            } rescue {
                B.rescued += 1;
                A.i ~> B.y;
                B.done += y % 4 == 3;
            }
        }
        return B.{done, rescued};
    }
)

#include "deep.A.chor.h"
#include "deep.B.chor.h"

int main(void)
{
    struct deep_cast cast = {.A = {.isolation = CHX_PROCESS}, .B = {.isolation = CHX_PROCESS}};
    struct deep_run_result r;
    struct deep_row_result row;
    if (deep_run(&r, &cast, 10000, 10000) != CHX_OK) {
        printf("%s: %s\n", chx_last_report()->role, chx_last_report()->why);
        return 1;
    }
    printf("10000 levels: %d %d\n", r.A, r.B);
    if (deep_row(&row, &cast, 1000) != CHX_OK)
        return 1;
    printf("1000 blocks: %d, %d of them rescued\n", row.B.v0, row.B.v1);
    return 0;
}
