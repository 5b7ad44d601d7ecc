// Each round of the loop is a block: there is no moment between two of them.
// matrix arguments: 4
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

choreography(rounds, (A, B),
    def run(A.int rounds) -> A.int, B.int {
        A.int i = 0;
        A.int x = 1;
        B.int y = 2;
        checkpoint while (A.(i < rounds)) {
            A.i++;
            A.(x + i) ~> B.got;
            B.y = y * 2 + got;
            B.(y + 1) ~> A.x;
        } rescue {
            A.i++;
            B.(y + 3) ~> A.z;
            A.x = x + z;
        }
        A.x ~> B.last;
        return A.x, B.(y + last);
    }
)

#include "rounds.A.chor.h"
#include "rounds.B.chor.h"

int main(int argc, char **argv)
{
    struct rounds_run_result result;
    if (rounds_run(&result, NULL, argc > 1 ? atoi(argv[1]) : 4) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
