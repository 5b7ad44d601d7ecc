// A block that only one role takes part in.
#include <chorex.h>
#include <stdio.h>

choreography(one_role_alone, (A, B),
    int A.fail(int x);

    def run(A.int x, B.int y) -> A.int, B.int {
        A.x ~> B.got;
        checkpoint {
            A.x += 1;
            A.x = fail(x);
        } rescue {
            A.x += 10;
        }
        B.y ~> A.back;
        return A.(x + back), B.(y + got);
    }
)

#include "one_role_alone.A.chor.h"
#include "one_role_alone.B.chor.h"

int A_fail(int x)
{
    if (x % 2 == 0)
        chx_fail("x is %d", x);
    return x;
}

int main(void)
{
    struct one_role_alone_run_result result;
    if (one_role_alone_run(&result, NULL, 1, 2) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
