// The body is tried a second time before the rescue: a late role may go straight to the second attempt.
#include <chorex.h>
#include <stdio.h>

choreography(retry, (A, B),
    def run(A.int x) -> A.int, B.int {
        A.x ~> B.y;
        A.int got = 1;
        checkpoint retry 1 {
            A.x++;
            A.x ~> B.y;
            B.(y + 1) ~> A.got;
        } rescue {
            B.(y + 500) ~> A.got;
        }
        A.(got + x) ~> B.last;
        return A.(x * 10000 + got), B.(last * 1000 + y);
    }
)

#include "retry.A.chor.h"
#include "retry.B.chor.h"

int main(void)
{
    struct retry_run_result result;
    if (retry_run(&result, NULL, 7) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
