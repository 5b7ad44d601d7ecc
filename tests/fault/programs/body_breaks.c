// A break leads out of block and loop at once.
#include <chorex.h>
#include <stdio.h>

choreography(body_breaks, (A, B),
    def run(A.int x, B.int y) -> A.int, B.int {
        for (A.int i = 0; A.(i < 5); A.i++) {
            checkpoint {
                A.(x + i) ~> B.got;
                B.y += got;
                if (B.(y > 20)) {
                    B.y ~> A.x;
                    break;
                }
                A.x += 1;
            } rescue {
                A.x += 100;
                B.y += 1;
            }
            A.x += 1000;
        }
        A.x ~> B.last;
        return A.x, B.(last + y);
    }
)

#include "body_breaks.A.chor.h"
#include "body_breaks.B.chor.h"

int main(void)
{
    struct body_breaks_run_result result;
    if (body_breaks_run(&result, NULL, 7, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
