// The rescue returns, so what comes after the block does not happen: C, which only acts there, takes part, too.
#include <chorex.h>
#include <stdio.h>

choreography(rescue_returns, (A, B, C),
    def run(A.int x, C.int z) -> A.int, B.int, C.int {
        B.int y = 1;
        checkpoint {
            A.(x + 1) ~> B.y;
        } rescue {
            return A.(x + 100), B.(y + 200), C.(z + 300);
        }
        A.x += 5;
        C.z += 6;
        B.y ~> C.got;
        return A.x, B.y, C.(z + got);
    }
)

#include "rescue_returns.A.chor.h"
#include "rescue_returns.B.chor.h"
#include "rescue_returns.C.chor.h"

int main(void)
{
    struct rescue_returns_run_result result;
    if (rescue_returns_run(&result, NULL, 7, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
