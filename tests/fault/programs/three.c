// Three roles in a block; a message of A from before it may still be unread when A fails in it.
#include <chorex.h>
#include <stdio.h>

choreography(three, (A, B, C),
    def run(A.int x, C.int z) -> A.int, B.int, C.int {
        A.x ~> B.before;
        C.z ~> B.early;
        B.int y = 0;
        checkpoint {
            A.(x + 1) ~> B.y;
            B.(y + before) ~> C.z;
        } rescue {
            A.(x + 70) ~> C.z;
            C.(z + 6) ~> B.y;
        }
        B.(y * 10 + early) ~> A.x;
        return A.x, B.(before + y), C.z;
    }
)

#include "three.A.chor.h"
#include "three.B.chor.h"
#include "three.C.chor.h"

int main(void)
{
    struct three_run_result result;
    if (three_run(&result, NULL, 7, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
