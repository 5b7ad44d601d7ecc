// A recursion inside one block; a failure drops all of its frames.
#include <chorex.h>
#include <stdio.h>

choreography(recursion_inside, (A, B),
    def down(A.int n, B.int sum) -> A.int, B.int {
        A.int deep = 0;
        if (A.(n > 0)) {
            A.n ~> B.got;
            A.deep, B.sum = down(A.(n - 1), B.(sum + got));
            B.(sum % 7) ~> A.back;
            A.deep += back;
        }
        return A.(deep + n), B.sum;
    }
    def run(A.int n) -> A.int, B.int {
        A.int deep = 0;
        B.int sum = 5;
        checkpoint {
            A.deep, B.sum = down(A.n, B.sum);
        } rescue {
            A.deep, B.sum = down(A.(n - 2), B.sum);
        }
        return A.deep, B.sum;
    }
)

#include "recursion_inside.A.chor.h"
#include "recursion_inside.B.chor.h"

int main(void)
{
    struct recursion_inside_run_result result;
    if (recursion_inside_run(&result, NULL, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
