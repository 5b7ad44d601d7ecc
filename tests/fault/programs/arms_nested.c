// Arms in arms, with blocks between them, and a loop of them: each has a name of its own.
#include <chorex.h>
#include <stdio.h>

choreography(arms_nested, (A, B, C),
    def pair[X, Y](X.int n) -> X.int, Y.int {
        X.int got = 0;
        Y.int m = 0;
        checkpoint retry 1 {
            X.n ~> Y.m;
            Y.(m * 2) ~> X.got;
        } rescue {
            X.got = n + 100;
            Y.m = 50;
        }
        return X.got, Y.m;
    }
    def run(A.int n) -> A.int, B.int, C.int {
        A.int x = 0;
        A.int y = 0;
        A.int z = 0;
        A.int sum = 0;
        B.int b = 0;
        B.int d = 0;
        C.int c = 0;
        for (A.int i = 0; A.(i < 2); A.i++) {
            checkpoint retry 3 {
                par {
                    checkpoint retry 2 {
                        par {
                            A.x, B.b = pair[A, B](A.(n + i));
                        } and {
                            A.(n + i) ~> C.k;
                            C.c = c + k;
                            C.c ~> A.y;
                        }
                    } rescue {
                        C.(c + 5000) ~> A.y;
                    }
                } and {
                    B.(d + 1) ~> A.z;
                    A.(z + 1) ~> B.d;
                }
                A.sum = sum + x * 3 + y + z;
            }
        }
        return A.sum, B.(b + d), C.c;
    }
)

#include "arms_nested.A.chor.h"
#include "arms_nested.B.chor.h"
#include "arms_nested.C.chor.h"

int main(void)
{
    struct arms_nested_run_result result;
    if (arms_nested_run(&result, NULL, 7) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
