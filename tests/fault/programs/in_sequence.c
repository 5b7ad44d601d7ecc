// Blocks of different roles one after another, with messages between them.
#include <chorex.h>
#include <stdio.h>

choreography(in_sequence, (A, B, C),
    def run(A.int x, C.int z) -> A.int, B.int, C.int {
        B.int y = 0;
        checkpoint {
            A.(x + 1) ~> B.y;
        } rescue {
            A.(x + 2) ~> B.y;
        }
        B.y ~> C.z;
        checkpoint {
            C.(z * 2) ~> B.y;
            B.(y + 1) ~> C.z;
        } rescue {
            C.(z + 5) ~> B.y;
        }
        A.x ~> B.x;
        C.z ~> A.x;
        return A.x, B.(y + x), C.z;
    }
)

#include "in_sequence.A.chor.h"
#include "in_sequence.B.chor.h"
#include "in_sequence.C.chor.h"

int main(void)
{
    struct in_sequence_run_result result;
    if (in_sequence_run(&result, NULL, 7, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
