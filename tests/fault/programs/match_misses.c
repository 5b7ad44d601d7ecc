// A value that does not match is a failure of the receiver.
#include <chorex.h>
#include <stdio.h>

choreography(match_misses, (A, B),
    def run(A.int x, B.int y) -> A.int, B.int {
        checkpoint {
            A.x ~> B.(7);
            B.y += 1;
            A.{x, x + 1} ~> B.{(7), int z};
            B.y += z;
        } rescue {
            A.{x + 1, x + 2} ~> B.{y, _};
        }
        checkpoint {
            A.(x + 1) ~> B.(7);
            B.y += 100;
        } rescue {
            B.y ~> A.x;
        }
        return A.x, B.y;
    }
)

#include "match_misses.A.chor.h"
#include "match_misses.B.chor.h"

int main(void)
{
    struct match_misses_run_result result;
    if (match_misses_run(&result, NULL, 7, 1) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
