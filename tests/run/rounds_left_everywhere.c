// Rounds that are left by break, continue and return, out of loops, cases and blocks, in bodies and rescues.
// expect: 33 1020 17 2
#include <chorex.h>
#include <stdio.h>

choreography(ways, (A, B, C, D),
    void A.may_fail(int n);
    void B.may_fail(int n);
    def alone(A.int n) -> A.int {
        A.int s = 0;
        checkpoint retry 1 while (A.(s < n)) {
            A.s += 2;
            A.may_fail(s);
        } rescue {
            A.s += 3;
        }
        return A.s;
    }
    def tail(A.int n, B.int acc) -> B.int {
        checkpoint for (;;) {
            if (A.(n <= 0)) {
                return B.acc;
            }
            A.n ~> B.m;
            B.may_fail(m);
            return tail(A.(n - 1), B.(acc + m));
        } rescue {
            A.n--;
            B.acc += 1000;
        }
    }
    def run(A.int n) -> A.int, B.int, C.int, D.int {
        A.int a = 0;
        B.int b = 0;
        C.int c = 0;
        D.int d = 0;
        A.int i = 0;
        checkpoint while (A.(i < n)) {
            A.i++;
            for (B.int j = 0; B.(j < 3); B.j++) {
                B.j ~> C.k;
                if (C.(k == 1)) {
                    C.c++;
                    continue;
                }
                while (C.(c % 4 == 2)) {
                    C.c++;
                    C.c ~> B.b;
                    if (B.(b % 2 == 1)) {
                        break;
                    }
                    continue;
                }
            }
            A.may_fail(100 + i);
            switch (A.(i % 4)) {
            case 0: {
                continue;
            }
            case 1: {
                A.i ~> B.b;
                break;
            }
            case 2: {
                checkpoint {
                    A.i ~> C.x;
                    C.c += x;
                    B.may_fail(200 + b);
                    continue;
                } rescue {
                    A.a++;
                    B.b = 0;
                    C.c = 0;
                    continue;
                }
                break;
            }
            default: {
                A.a += i;
                break;
            }
            }
            A.int t = alone(A.i);
            A.a += t;
        } rescue (f) {
            D.int z = 0;
            checkpoint while (D.(z < 2)) {
                D.z++;
                D.d++;
                D.d ~> C.c;
            } rescue {
                D.z = 2;
                C.c = 7;
            }
            A.i++;
        }
        B.bb = tail(A.(5), B.b);
        return A.a, B.(bb), C.c, D.d;
    }
)

#include "ways.A.chor.h"
#include "ways.B.chor.h"
#include "ways.C.chor.h"
#include "ways.D.chor.h"

void A_may_fail(int n)
{
    if (n == 103 || n == 8)
        chx_fail("A %d", n);
}

void B_may_fail(int n)
{
    if (n == 4 || n == 201)
        chx_fail("B %d", n);
}

int main(void)
{
    struct ways_run_result result;
    if (ways_run(&result, NULL, 9) != CHX_OK)
        return 1;
    printf("%d %d %d %d\n", result.A, result.B, result.C, result.D);
    return 0;
}
