// A choice of many ways inside the block; the told ones must hear of the new attempt's choice only.
#include <chorex.h>
#include <stdio.h>

choreography(switch_inside, (A, B, C),
    def run(A.int x, B.int y, C.int z) -> A.int, B.int, C.int {
        for (A.int i = 0; A.(i < 3); A.i++) {
            checkpoint {
                switch (A.((x + i) % 3)) {
                case 0:
                    B.(y + 1) ~> C.z;
                    break;
                case 1:
                    C.(z + 1) ~> B.y;
                    break;
                default:
                    A.(x + 1) ~> B.y;
                    C.z += 5;
                    break;
                }
                B.y ~> A.x;
            } rescue {
                A.x += 1;
                if (B.(y % 2 == 0)) {
                    C.z += 100;
                } else {
                    B.y ~> C.z;
                }
            }
        }
        return A.x, B.y, C.z;
    }
)

#include "switch_inside.A.chor.h"
#include "switch_inside.B.chor.h"
#include "switch_inside.C.chor.h"

int main(void)
{
    struct switch_inside_run_result result;
    if (switch_inside_run(&result, NULL, 1, 2, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
