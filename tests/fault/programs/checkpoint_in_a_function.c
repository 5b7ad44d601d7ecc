// The block stands in a function that is called outside and inside of another block.
#include <chorex.h>
#include <stdio.h>

choreography(checkpoint_in_a_function, (A, B, C),
    def safe(A.int x, B.int y) -> A.int, B.int {
        checkpoint {
            A.x ~> B.got;
            B.y = y * 3 + got;
        } rescue {
            B.y ~> A.got;
            A.x = x * 2 + got;
        }
        return A.x, B.y;
    }
    def run(A.int x, B.int y, C.int z) -> A.int, B.int, C.int {
        A.x, B.y = safe(A.x, B.y);
        checkpoint {
            C.z ~> A.got;
            A.x, B.y = safe(A.(x + got), B.y);
            B.y ~> C.z;
        } rescue {
            A.x, B.y = safe(A.(x + 1), B.(y + 1));
            A.x ~> C.z;
        }
        A.x, B.y = safe(A.(x + 1), B.y);
        return A.x, B.y, C.z;
    }
)

#include "checkpoint_in_a_function.A.chor.h"
#include "checkpoint_in_a_function.B.chor.h"
#include "checkpoint_in_a_function.C.chor.h"

int main(void)
{
    struct checkpoint_in_a_function_run_result result;
    if (checkpoint_in_a_function_run(&result, NULL, 1, 2, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
