// C, which has nothing to do with the block, sends before and after it; what it sent must outlive A's and B's recovery.
#include <chorex.h>
#include <stdio.h>

choreography(late, (A, B, C),
    def run(A.int x, C.int z) -> A.int, B.int, C.int {
        A.x ~> B.y;
        C.z ~> B.early;
        A.int got = 0;
        checkpoint {
            A.(x + 1) ~> B.y;
            B.(y + 1) ~> A.got;
        } rescue {
            A.(x + 50) ~> B.y;
            B.(y + 5) ~> A.got;
        }
        C.(z + 1) ~> B.later;
        B.(early * 100 + later) ~> C.echo;
        return A.got, B.(y + later), C.echo;
    }
)

#include "late.A.chor.h"
#include "late.B.chor.h"
#include "late.C.chor.h"

int main(void)
{
    struct late_run_result result;
    if (late_run(&result, NULL, 7, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
