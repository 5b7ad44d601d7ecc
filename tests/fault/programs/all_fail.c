// All three roles fail in the same attempt; one rescue is enough.
#include <chorex.h>
#include <stdio.h>

choreography(all_fail, (A, B, C),
    int A.fail(int x);
    int B.fail(int x);
    int C.fail(int x);

    def run(A.int x, B.int y, C.int z) -> A.int, B.int, C.int {
        for (A.int i = 0; A.(i < 2); A.i++) {
            checkpoint {
                A.x = fail(x);
                B.y = fail(y);
                C.z = fail(z);
                A.x ~> B._;
            } rescue {
                A.(x + 1) ~> B.y;
                B.(y + 1) ~> C.z;
                C.(z + 1) ~> A.x;
            }
        }
        return A.x, B.y, C.z;
    }
)

#include "all_fail.A.chor.h"
#include "all_fail.B.chor.h"
#include "all_fail.C.chor.h"

int A_fail(int x)
{
    chx_fail("x is %d", x);
}

int B_fail(int x)
{
    chx_fail("x is %d", x);
}

int C_fail(int x)
{
    chx_fail("x is %d", x);
}

int main(void)
{
    struct all_fail_run_result result;
    if (all_fail_run(&result, NULL, 1, 2, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
