// Inner blocks of A and B and of B and C in an outer one of all three.
#include <chorex.h>
#include <stdio.h>

choreography(different_participants, (A, B, C),
    def run(A.int x, B.int y, C.int z) -> A.int, B.int, C.int {
        checkpoint {
            checkpoint {
                A.x ~> B.got;
                B.y += got;
            } rescue {
                B.(y + 1) ~> A.x;
            }
            checkpoint {
                B.y ~> C.got;
                C.z += got;
            } rescue {
                C.(z + 20) ~> B.y;
            }
            C.z ~> A.got;
            A.x += got;
        } rescue {
            A.x ~> B.y;
            B.y ~> C.z;
            A.x += 1000;
        }
        return A.x, B.y, C.z;
    }
)

#include "different_participants.A.chor.h"
#include "different_participants.B.chor.h"
#include "different_participants.C.chor.h"

int main(void)
{
    struct different_participants_run_result result;
    if (different_participants_run(&result, NULL, 1, 2, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
