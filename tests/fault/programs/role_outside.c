// C streams to B around and between blocks that it is not part of.
#include <chorex.h>
#include <stdio.h>

choreography(role_outside, (A, B, C),
    def run(A.int x, C.int z) -> A.int, B.int, C.int {
        B.int y = 0;
        C.(z + 1) ~> B.a;
        C.(z + 2) ~> B.b;
        checkpoint {
            A.x ~> B.y;
            B.(y + a) ~> A.x;
        } rescue {
            B.(a + 60) ~> A.x;
        }
        B.y += b;
        C.(z + 3) ~> B.c;
        checkpoint {
            B.(y + c) ~> A.x;
        } rescue {
            A.(x + 600) ~> B.y;
        }
        C.(z + 4) ~> B.d;
        B.(y + d) ~> C.z;
        return A.x, B.(y + d), C.z;
    }
)

#include "role_outside.A.chor.h"
#include "role_outside.B.chor.h"
#include "role_outside.C.chor.h"

int main(void)
{
    struct role_outside_run_result result;
    if (role_outside_run(&result, NULL, 7, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
