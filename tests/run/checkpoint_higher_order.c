// Blocks in definitions with role and function parameters, which are called in blocks.
// expect: 1000 4007 207 15 203 32
#include <chorex.h>
#include <stdio.h>

choreography(q, (A, B, C),
    def safe[X, Y](X.int n) -> Y.int {
        Y.int r = -1;
        checkpoint {
            X.n ~> Y.m;
            Y.(m % 3 == 0 ? chx_fail("third") : (void)0);
            Y.r = m;
        } rescue (f) {
            if ({X, Y}.(f.role[0] == 'A')) {
                Y.r = 1000;
            } else {
                Y.r = 2000;
            }
        }
        return Y.r;
    }

    def risky[X, Y](X.int n) -> Y.int {
        X.n ~> Y.m;
        Y.(m % 3 == 0 ? chx_fail("third") : (void)0);
        return Y.m;
    }

    def plus(A.int n) -> B.int {
        A.n ~> C.t;
        C.(t + 1) ~> B.r;
        return B.r;
    }

    def apply(f(A.int) -> B.int, A.int n) -> B.int {
        B.int total = 0;
        for (A.int i = 0; A.(i < n); A.i++) {
            checkpoint {
                B.int v = f(A.i);
                B.total += v;
            } rescue {
                B.total += 100;
            }
        }
        return B.total;
    }

    def wrap(f(A.int) -> B.int, g(h(A.int) -> B.int, A.int) -> B.int, A.int n) -> B.int {
        B.int r = 0;
        checkpoint {
            B.r = g(f, A.n);
            B.(r > 300 ? chx_fail("much") : (void)0);
        } rescue {
            B.r = f(A.(n + 1));
        }
        return B.r;
    }

    def run() -> A.int, B.{int, int, int, int, int} {
        B.int p = apply(safe[A, B], A.(5));  // 2000+1+2+2000+4
        B.int q = apply(risky[A, B], A.(5));  // 100+1+2+100+4
        B.int r = apply(plus, A.(5));  // 15
        B.int s = wrap(risky[A, B], apply, A.(4));  // 100+1+2+100 = 203
        B.int t = wrap(plus, apply, A.(30));  // 465 > 300: plus(31) = 32
        A.int u = safe[B, A](B.(3));  // 1000
        return A.u, B.{p, q, r, s, t};
    }
)

#include "q.A.chor.h"
#include "q.B.chor.h"
#include "q.C.chor.h"

int main(void)
{
    struct q_run_result r;
    if (q_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d %d %d %d %d\n", r.A, r.B.v0, r.B.v1, r.B.v2, r.B.v3, r.B.v4);
}
