// The same inner block twice in a body, again in its rescue, and once more afterwards.
#include <chorex.h>
#include <stdio.h>

choreography(loop_in_a_block, (A, B),
    def step(A.int x, B.int y) -> A.int, B.int {
        checkpoint {
            A.(x + 1) ~> B.y;
        } rescue {
            B.(y + 100) ~> A.x;
        }
        return A.x, B.y;
    }
    def run(A.int x) -> A.int, B.int {
        B.int y = 1;
        checkpoint {
            A.x, B.y = step(A.x, B.y);
            A.x, B.y = step(A.(x + 2), B.y);
        } rescue {
            B.y ~> A.x;
            A.x, B.y = step(A.(x + 3), B.(y + 1));
        }
        A.x, B.y = step(A.(x + 4), B.y);
        return A.x, B.y;
    }
)

#include "loop_in_a_block.A.chor.h"
#include "loop_in_a_block.B.chor.h"

int main(void)
{
    struct loop_in_a_block_run_result result;
    if (loop_in_a_block_run(&result, NULL, 7) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
