// break, continue and return out of bodies and rescues, also of nested ones.
// expect: 2: 10 2 3
// expect: 3: 10 2 3
// expect: 4: 100010 2 3
// expect: 5: 100050 3 4
// expect: 6: 10005 3 103
// expect: 7: 110050 3 104
// expect: 8: 110050 53 104
// expect: 9: 110050 53 104
#include <chorex.h>
#include <stdio.h>

choreography(o, (A, B, C),
    def run(A.int n) -> A.int, B.int, C.int {
        A.int sum = 0;
        B.int cnt = 0;
        C.int c = 0;
        for (A.int i = 0; A.(i < n); A.i++) {
            checkpoint {
                A.i ~> B.x;
                if (B.(x == 2)) {
                    continue;
                }
                B.(x == 3 ? chx_fail("3") : (void)0);
                if (B.(x == 7)) {
                    B.cnt += 50;
                    break;
                }
                checkpoint {
                    B.(x == 5 ? chx_fail("5") : (void)0);
                    if (A.(i == 6)) {
                        A.sum += 1000;
                        continue;
                    }
                    A.(1) ~> C.y;
                    C.c += y;
                } rescue {
                    C.c += 100;
                    if (A.(n == 6)) {
                        return A.sum, B.cnt, C.c;
                    }
                    continue;
                }
            } rescue {
                A.sum += 10000;
                continue;
            }
            A.sum += i;
            B.cnt += 1;
        }
        C.c += 1;
        return A.(sum * 10), B.cnt, C.c;
    }
)

#include "o.A.chor.h"
#include "o.B.chor.h"
#include "o.C.chor.h"

int main(void)
{
    for (int n = 2; n < 10; n++) {
        struct o_run_result r;
        if (o_run(&r, NULL, n) != CHX_OK)
            return 1;
        printf("%d: %d %d %d\n", n, r.A, r.B, r.C);
    }
}
