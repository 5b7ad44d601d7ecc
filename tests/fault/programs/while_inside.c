// Loops inside the block; a choice that was told in an abandoned attempt is not one of the next.
#include <chorex.h>
#include <stdio.h>

choreography(while_inside, (A, B),
    def run(A.int x, B.int y) -> A.int, B.int {
        A.int n = 0;
        checkpoint retry 1 {
            while (A.(n < 2)) {
                A.n++;
                A.(x + n) ~> B.got;
                B.y += got;
            }
            do {
                B.y ~> A.x;
                A.n++;
            } while (A.(n < 4));
        } rescue {
            while (B.(y < 10)) {
                B.y += 4;
                B.y ~> A.x;
            }
        }
        A.n ~> B.last;
        return A.(x * 10 + n), B.(y + last);
    }
)

#include "while_inside.A.chor.h"
#include "while_inside.B.chor.h"

int main(void)
{
    struct while_inside_run_result result;
    if (while_inside_run(&result, NULL, 1, 2) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
