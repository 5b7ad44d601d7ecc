// Three attempts of an outer body, each with an inner block that starts anew.
#include <chorex.h>
#include <stdio.h>

choreography(retry_around_a_block, (A, B),
    def run(A.int x, B.int y) -> A.int, B.int {
        checkpoint retry 2 {
            A.x += 1;
            checkpoint {
                A.x ~> B.got;
                B.y += got;
            } rescue {
                B.y += 100;
            }
            B.y ~> A.got;
            A.x += got;
        } rescue {
            A.x += 1000;
            A.x ~> B.y;
        }
        return A.x, B.y;
    }
)

#include "retry_around_a_block.A.chor.h"
#include "retry_around_a_block.B.chor.h"

int main(void)
{
    struct retry_around_a_block_run_result result;
    if (retry_around_a_block_run(&result, NULL, 1, 2) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
