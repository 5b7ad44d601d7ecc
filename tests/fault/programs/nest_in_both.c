// Inner blocks in the body and in the rescue of an outer one.
#include <chorex.h>
#include <stdio.h>

choreography(nest_in_both, (A, B, C),
    def run(A.int x, C.int z) -> A.int, B.int, C.int {
        C.z ~> A.z;
        B.int y = 0;
        checkpoint {
            checkpoint {
                A.(x + z) ~> B.y;
            } rescue {
                B.(y + 11) ~> A.x;
            }
            B.(y + 1) ~> C.z;
        } rescue {
            checkpoint {
                A.(x * 3) ~> B.y;
            } rescue {
                B.(y + 13) ~> A.x;
            }
            A.(x + 2) ~> C.z;
        }
        C.(z * 5) ~> B.last;
        return A.x, B.(last + y), C.z;
    }
)

#include "nest_in_both.A.chor.h"
#include "nest_in_both.B.chor.h"
#include "nest_in_both.C.chor.h"

int main(void)
{
    struct nest_in_both_run_result result;
    if (nest_in_both_run(&result, NULL, 7, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
