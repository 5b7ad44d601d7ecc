// The same block again and again: a message of an abandoned attempt looks just like one of the next round.
#include <chorex.h>
#include <stdio.h>

choreography(loop_of_blocks, (A, B),
    def run(A.int rounds) -> A.int, B.int {
        A.int sum = 0;
        B.int seen = 0;
        for (A.int i = 0; A.(i < rounds); A.i++) {
            A.(i + 1) ~> B.y;
            checkpoint {
                A.(10 * i) ~> B.a;
                A.(100 * i) ~> B.b;
                B.seen = seen + a + b + y;
                B.seen ~> A.back;
                A.sum += back;
            } rescue {
                B.(seen - 1) ~> A.back;
                A.sum += back * 3;
            }
        }
        return A.sum, B.seen;
    }
)

#include "loop_of_blocks.A.chor.h"
#include "loop_of_blocks.B.chor.h"

int main(void)
{
    struct loop_of_blocks_run_result result;
    if (loop_of_blocks_run(&result, NULL, 4) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
