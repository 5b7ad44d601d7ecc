// A ring of four roles, all in one block.
#include <chorex.h>
#include <stdio.h>

choreography(four_roles, (A, B, C, D),
    def run(A.int x) -> A.int, B.int, C.int, D.int {
        B.int y = 1;
        C.int z = 2;
        D.int w = 3;
        checkpoint {
            A.(x + 1) ~> B.y;
            B.(y + 1) ~> C.z;
            C.(z + 1) ~> D.w;
            D.(w + 1) ~> A.x;
        } rescue {
            D.(w * 100) ~> C.z;
            C.(z + 10) ~> B.y;
            B.(y + 1) ~> A.x;
        }
        A.x ~> D.back;
        return A.x, B.y, C.z, D.(w + back);
    }
)

#include "four_roles.A.chor.h"
#include "four_roles.B.chor.h"
#include "four_roles.C.chor.h"
#include "four_roles.D.chor.h"

int main(void)
{
    struct four_roles_run_result result;
    if (four_roles_run(&result, NULL, 7) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d %d\n", result.A, result.B, result.C, result.D);
    return 0;
}
