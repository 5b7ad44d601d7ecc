// Functions are called inside the block, with frames of their own when something fails.
#include <chorex.h>
#include <stdio.h>

choreography(calls_inside, (A, B),
    def add[X, Y](X.int a, Y.int b) -> Y.int {
        X.(a + 1) ~> Y.c;
        return Y.(b + c);
    }
    def both(A.int x, B.int y, op(A.int, B.int) -> B.int) -> A.int, B.int {
        B.y = op(A.x, B.y);
        A.x = add[B, A](B.y, A.x);
        return A.x, B.y;
    }
    def run(A.int x, B.int y) -> A.int, B.int {
        checkpoint {
            A.x, B.y = both(A.(x * 2), B.y, add[A, B]);
            A.x, B.y = both(A.x, B.(y * 2), add[A, B]);
        } rescue {
            A.x = add[B, A](B.y, A.x);
        }
        B.y = add[A, B](A.x, B.y);
        return A.x, B.y;
    }
)

#include "calls_inside.A.chor.h"
#include "calls_inside.B.chor.h"

int main(void)
{
    struct calls_inside_run_result result;
    if (calls_inside_run(&result, NULL, 3, 4) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
