// A block of A and B inside one of A, B and C: C is not concerned by the inner one.
#include <chorex.h>
#include <stdio.h>

choreography(nest, (A, B, C),
    def run(A.int x, C.int z) -> A.int, B.int, C.int {
        A.x ~> B.y;
        checkpoint {
            A.(x + 1) ~> B.y;
            checkpoint {
                B.(y * 2) ~> A.x;
                A.(x + 3) ~> B.y;
            } rescue {
                A.(x + 400) ~> B.y;
            }
            C.(z + 5) ~> B.sum;
            B.y = y + sum;
        } rescue {
            B.(y + 9000) ~> A.x;
            A.(x + 1) ~> C.z;
        }
        A.x ~> B.last;
        return A.x, B.(last * 7 + y), C.z;
    }
)

#include "nest.A.chor.h"
#include "nest.B.chor.h"
#include "nest.C.chor.h"

int main(void)
{
    struct nest_run_result result;
    if (nest_run(&result, NULL, 7, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
