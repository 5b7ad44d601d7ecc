// A is in the inner block while B may still be, or already be, in the outer one: who fails decides which rescue.
#include <chorex.h>
#include <stdio.h>

choreography(wrong_block, (A, B),
    def run(A.int x, B.int y) -> A.int, B.int {
        checkpoint {
            A.x += 1;
            B.y += 1;
            checkpoint {
                A.x += 10;
                B.y += 10;
                A.x ~> B.got;
                B.y += got;
            } rescue {
                A.x += 100;
                B.y += 100;
            }
            B.y += 1000;
            A.x += 1000;
            B.y ~> A.got;
            A.x += got;
        } rescue {
            A.x += 10000;
            B.y += 20000;
        }
        return A.x, B.y;
    }
)

#include "wrong_block.A.chor.h"
#include "wrong_block.B.chor.h"

int main(void)
{
    struct wrong_block_run_result result;
    if (wrong_block_run(&result, NULL, 1, 2) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
