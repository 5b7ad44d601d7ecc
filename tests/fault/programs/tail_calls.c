// A tail-recursive loop with a block in each call and messages between the blocks.
#include <chorex.h>
#include <stdio.h>

choreography(tail_calls, (A, B),
    def turn(A.int n, B.int y) -> A.int, B.int {
        if (A.(n == 0)) {
            return A.(n + 1), B.y;
        }
        A.n ~> B.got;
        checkpoint {
            A.(n * 2) ~> B.y;
            B.(y + got) ~> A.back;
            A.n = n - 1 + back * 0;
        } rescue {
            B.y += got * 100;
            A.n--;
        }
        return turn(A.n, B.y);
    }
    def run(A.int n) -> A.int, B.int {
        return turn(A.n, B.(5));
    }
)

#include "tail_calls.A.chor.h"
#include "tail_calls.B.chor.h"

int main(void)
{
    struct tail_calls_run_result result;
    if (tail_calls_run(&result, NULL, 4) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
