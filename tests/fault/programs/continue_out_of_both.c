// Body and rescue go on with the next round, each under a condition.
#include <chorex.h>
#include <stdio.h>

choreography(continue_out_of_both, (A, B),
    def run(A.int x, B.int y) -> A.int, B.int {
        for (A.int i = 0; A.(i < 4); A.i++) {
            checkpoint {
                A.(x + i) ~> B.got;
                B.y += got;
                if (A.(i % 2 == 0)) {
                    A.x += 10;
                    continue;
                }
                B.y ~> A.back;
                A.x += back;
            } rescue {
                if (B.(y % 2 == 0)) {
                    B.y += 3;
                    continue;
                }
                A.x ~> B.y;
            }
            A.x += 1000;
            B.y += 1;
        }
        return A.x, B.y;
    }
)

#include "continue_out_of_both.A.chor.h"
#include "continue_out_of_both.B.chor.h"

int main(void)
{
    struct continue_out_of_both_run_result result;
    if (continue_out_of_both_run(&result, NULL, 7, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
