// Each round has a block of C and B and one of A and B: A and C skip what is not theirs, B must find the right ones.
#include <chorex.h>
#include <stdio.h>

choreography(loopskip, (A, B, C),
    def run(A.int x, B.int rounds, C.int z) -> A.int, B.int, C.int {
        B.int y = 0;
        for ({A, B, C}.int i = 0; {A, B, C}.(i < 3); {A, B, C}.i++) {
            checkpoint {
                C.(z + 1) ~> B.c;
                B.y = y + c;
            } rescue {
                B.(y + rounds) ~> C.z;
            }
            checkpoint {
                A.(x + 2) ~> B.a;
                B.y = y * 2 + a;
            } rescue {
                B.(y + 1) ~> A.x;
            }
        }
        return A.x, B.y, C.z;
    }
)

#include "loopskip.A.chor.h"
#include "loopskip.B.chor.h"
#include "loopskip.C.chor.h"

int main(void)
{
    struct loopskip_run_result result;
    if (loopskip_run(&result, NULL, 5, 6, 7) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
