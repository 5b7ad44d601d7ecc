// The rescue leaves the loop.
#include <chorex.h>
#include <stdio.h>

choreography(rescue_breaks, (A, B),
    def run(A.int x, B.int y) -> A.int, B.int {
        for (A.int i = 0; A.(i < 3); A.i++) {
            checkpoint {
                A.(x + i) ~> B.got;
                B.y += got;
                B.y ~> A.x;
            } rescue {
                B.y += 500;
                break;
            }
            A.x += 1000;
        }
        A.x ~> B.last;
        return A.x, B.(last + y);
    }
)

#include "rescue_breaks.A.chor.h"
#include "rescue_breaks.B.chor.h"

int main(void)
{
    struct rescue_breaks_run_result result;
    if (rescue_breaks_run(&result, NULL, 7, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
