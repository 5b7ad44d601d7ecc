// A block that is not over in time goes to its rescue, whatever has arrived by then.
#include <chorex.h>
#include <stdio.h>

choreography(deadline, (A, B, C),
    def run(A.int x, B.int y, C.int z) -> A.int, B.int, C.int {
        for ({A, B, C}.int i = 0; {A, B, C}.(i < 3); {A, B, C}.i++) {
            checkpoint within 12ms {
                A.(x + 1) ~> B.y;
                B.(y + 1) ~> C.z;
                C.(z + 1) ~> A.x;
            } rescue {
                A.x += 100;
                B.y ~> C.z;
            }
        }
        return A.x, B.y, C.z;
    }
)

#include "deadline.A.chor.h"
#include "deadline.B.chor.h"
#include "deadline.C.chor.h"

int main(void)
{
    struct deadline_run_result result;
    if (deadline_run(&result, NULL, 1, 2, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
