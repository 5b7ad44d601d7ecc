// A role fails before, after and instead of telling its choice; who was told goes back all the same.
// expect: 3 30 0
// expect: 3 30 0
// expect: 3 30 0
// expect: 3 30 0
// expect: 1 2 0
// expect: 17 0 17
// expect: 17 0 17
// expect: -1 -1 -1
// expect: 1 7 1
// expect: 3 30 0
// expect: 3 30 0
// expect: -1 -1 -1
// expect: 1 7 1
// expect: 17 0 17
// expect: 17 0 17
// expect: -1 -1 -1
// expect: 193 67
#include <chorex.h>
#include <stdio.h>

typedef enum { RED, GREEN, BLUE } colour;

choreography(c, (A, B, C, D),
    def pick(A.colour c, A.int fail) -> B.int, C.int, D.int {
        B.int b = 0;
        C.int n = 0;
        D.int d = 0;
        checkpoint {
            A.(fail == 0 ? chx_fail("before") : (void)0);
            switch (A.c) notify(B, C) {
                case RED:
                A.(fail == 1 ? chx_fail("red") : (void)0);
                B.b = 1;
                B.(7) ~> C.n;
                break;
                case GREEN:
                case BLUE:
                C.(8) ~> B.b;
                if (C.(n == 0)) {
                    A.(fail == 2 ? chx_fail("late") : (void)0);
                    C.(9) ~> B.x;
                    B.b += x;
                } else {
                    B.b += 1000;
                }
                break;
                default:
                B.b = -1;
                C.n = -1;
                break;
            }
            B.(b) ~> D.d;
        } rescue (f) {
            if ({A, B, C, D}.(f.why[0] == 'r')) {
                C.(1) ~> B.b;
                C.n = 2;
            } else {
                B.(3) ~> D.d;
                while (D.(d > 0)) {
                    D.d -= 1;
                    D.(1) ~> B.k;
                    B.b += k;
                    C.n += 10;
                }
            }
        }
        return B.b, C.n, D.d;
    }

    def run() -> B.int, C.int, D.int {
        B.int b = 0;
        C.int c = 0;
        D.int d = 0;
        for (A.int i = 0; A.(i < 16); A.i++) {
            B.int x, C.int y, D.int z = pick(A.((colour)(i % 4)), A.(i / 4));
            B.b = b * 3 % 100003 + x;
            C.c += y;
            D.d += z;
        }
        return B.b, C.c, D.d;
    }

    def one(A.int i) -> B.int, C.int, D.int {
        return pick(A.((colour)(i % 4)), A.(i / 4));
    }
)

#include "c.A.chor.h"
#include "c.B.chor.h"
#include "c.C.chor.h"
#include "c.D.chor.h"

int main(void)
{
    long sum = 0;
    for (int i = 0; i < 16; i++) {
        struct c_one_result r;
        if (c_one(&r, NULL, i) != CHX_OK)
            return 1;
        printf("%d %d %d\n", r.B, r.C, r.D);
    }
    struct c_run_result r;
    if (c_run(&r, NULL) != CHX_OK)
        return 1;
    (void)sum;
    printf("%d %d\n", r.C, r.D);
}
