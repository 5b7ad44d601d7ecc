// Roles find out whether they have the same value, in a block, while they crash: they agree, or all go to the rescue.
#include <chorex.h>
#include <stdio.h>

choreography(agree_or_not, (A, B, C),
    def run(A.int x, B.int y, C.int z) -> A.int, B.int, C.int {
        {A, B, C}.int n = 1;
        checkpoint {
            {A, B, C}.n = agree(A.x, B.y, C.(z + 1));
            A.n ~> C._;
        } rescue {
            {A, B, C}.n = n + 10;
            A.(n + 1) ~> B.y;
        }
        {A, B}.int k = 5;
        checkpoint {
            {A, B}.k = agree(B.(y + 100), A.x);
            B.k ~> C.z;
        } rescue {
            B.y ~> A.x;
            {A, B}.k = agree(A.(x + 3), B.(y + 3));
            C.z += 1;
        }
        return A.(x + n + k), B.(y + n + k), C.(z + n);
    }
)

#include "agree_or_not.A.chor.h"
#include "agree_or_not.B.chor.h"
#include "agree_or_not.C.chor.h"

int main(void)
{
    struct agree_or_not_run_result result;
    if (agree_or_not_run(&result, NULL, 7, 7, 6) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
