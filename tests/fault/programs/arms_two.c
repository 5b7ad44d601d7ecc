// Two arms, with A in both: a block in one of them does not concern the other.
#include <chorex.h>
#include <stdio.h>

choreography(arms_two, (A, B, C),
    def run(A.int n) -> A.int, B.int, C.int {
        A.int x = 0;
        A.int z = 0;
        B.int b = 1;
        C.int c = 2;
        A.n ~> B.b;
        par {
            A.(n + 1) ~> B.m;
            checkpoint retry 1 {
                B.(b * 2 + m) ~> A.x;
                A.(x + 3) ~> B.b;
            } rescue {
                A.(n + 400) ~> B.b;
            }
        } and {
            checkpoint {
                A.(n * 5) ~> C.m;
                C.c = c + m;
                C.c ~> A.z;
            } rescue {
                C.(c + 7000) ~> A.z;
            }
            checkpoint {
                A.(z + 1) ~> C.c;
            } rescue {
                C.c = c + 1;
            }
        }
        B.b ~> C.last;
        return A.(x * 3 + z), B.b, C.(c + last);
    }
)

#include "arms_two.A.chor.h"
#include "arms_two.B.chor.h"
#include "arms_two.C.chor.h"

int main(void)
{
    struct arms_two_run_result result;
    if (arms_two_run(&result, NULL, 7) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
