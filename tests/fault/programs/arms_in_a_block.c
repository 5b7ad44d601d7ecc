// A block around arms: one that has no block of its own counts for it, and going back takes all arms with it.
#include <chorex.h>
#include <stdio.h>

choreography(arms_in_a_block, (A, B, C),
    def run(A.int n) -> A.int, B.int, C.int {
        A.int x = 0;
        A.int z = 0;
        B.int b = 1;
        C.int c = 2;
        checkpoint retry 2 {
            A.(n + 2) ~> C.c;
            par {
                A.(n + 1) ~> B.m;
                B.(b * 2 + m) ~> A.x;
                A.(x + 3) ~> B.b;
            } and {
                checkpoint {
                    A.(n * 5) ~> C.m;
                    C.c = c + m;
                    C.c ~> A.z;
                } rescue {
                    C.(c + 7000) ~> A.z;
                }
                C.(c + 1) ~> A.y;
                A.z = z + y;
            }
            A.(x + z) ~> B.b;
        } rescue {
            B.(b + 9000) ~> A.x;
            A.(x + 1) ~> C.c;
        }
        C.c ~> B.last;
        return A.(x * 3 + z), B.(b + last), C.c;
    }
)

#include "arms_in_a_block.A.chor.h"
#include "arms_in_a_block.B.chor.h"
#include "arms_in_a_block.C.chor.h"

int main(void)
{
    struct arms_in_a_block_run_result result;
    if (arms_in_a_block_run(&result, NULL, 7) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
