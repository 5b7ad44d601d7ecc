// A and B are in one block, C and D in another, at the same time; then all meet.
#include <chorex.h>
#include <stdio.h>

choreography(independent_blocks, (A, B, C, D),
    def run(A.int a, B.int b, C.int c, D.int d) -> A.int, B.int, C.int, D.int {
        checkpoint {
            A.(a + 1) ~> B.b;
            B.(b + 1) ~> A.a;
        } rescue {
            B.(b + 100) ~> A.a;
        }
        checkpoint {
            C.(c + 1) ~> D.d;
            D.(d + 1) ~> C.c;
        } rescue {
            D.(d + 100) ~> C.c;
        }
        A.a ~> C.x;
        D.d ~> B.y;
        return A.a, B.(b * 10 + y), C.(c * 10 + x), D.d;
    }
)

#include "independent_blocks.A.chor.h"
#include "independent_blocks.B.chor.h"
#include "independent_blocks.C.chor.h"
#include "independent_blocks.D.chor.h"

int main(void)
{
    struct independent_blocks_run_result result;
    if (independent_blocks_run(&result, NULL, 1, 2, 3, 4) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d %d\n", result.A, result.B, result.C, result.D);
    return 0;
}
