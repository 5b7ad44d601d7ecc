// A deadline for each attempt, in a block inside another with a deadline.
#include <chorex.h>
#include <stdio.h>

choreography(deadline_and_retry, (A, B),
    def run(A.int x, B.int y) -> A.int, B.int {
        checkpoint within 30ms {
            checkpoint retry 1 within 6ms {
                A.x++;
                A.x ~> B.y;
                B.(y * 2) ~> A.x;
            } rescue {
                B.y += 50;
            }
            B.y ~> A.got;
            A.x += got;
            A.x ~> B.y;
        } rescue {
            A.x += 1000;
            B.y += 2000;
        }
        return A.x, B.y;
    }
)

#include "deadline_and_retry.A.chor.h"
#include "deadline_and_retry.B.chor.h"

int main(void)
{
    struct deadline_and_retry_run_result result;
    if (deadline_and_retry_run(&result, NULL, 1, 2) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
