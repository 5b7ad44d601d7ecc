// A block without a rescue: its failure is the enclosing block's.
#include <chorex.h>
#include <stdio.h>

choreography(no_rescue_inside, (A, B, C),
    def run(A.int x, B.int y, C.int z) -> A.int, B.int, C.int {
        checkpoint {
            C.z ~> A.got;
            A.x += got;
            checkpoint retry 1 {
                A.x++;
                A.x ~> B.y;
                B.(y + 1) ~> A.x;
            }
            B.y ~> C.z;
        } rescue {
            C.(z + 1) ~> B.y;
            A.x += 10;
        }
        return A.x, B.y, C.z;
    }
)

#include "no_rescue_inside.A.chor.h"
#include "no_rescue_inside.B.chor.h"
#include "no_rescue_inside.C.chor.h"

int main(void)
{
    struct no_rescue_inside_run_result result;
    if (no_rescue_inside_run(&result, NULL, 1, 2, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
