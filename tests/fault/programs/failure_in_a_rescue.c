// The rescue fails too, which is the enclosing block's; outside of all blocks the session ends.
#include <chorex.h>
#include <stdio.h>

choreography(failure_in_a_rescue, (A, B),
    int A.fail(int x);

    def run(A.int x, B.int y) -> A.int, B.int {
        checkpoint {
            A.x++;
            checkpoint {
                A.x++;
                A.fail(x) ~> B.y;
            } rescue {
                A.x += 10;
                B.y += 10;
                A.fail(x) ~> B.y;
            }
        } rescue {
            A.x += 100;
            B.y ~> A.got;
            A.x += got;
        }
        return A.x, B.y;
    }
)

#include "failure_in_a_rescue.A.chor.h"
#include "failure_in_a_rescue.B.chor.h"

int A_fail(int x)
{
    chx_fail("x is %d", x);
}

int main(void)
{
    struct failure_in_a_rescue_run_result result;
    if (failure_in_a_rescue_run(&result, NULL, 1, 2) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
