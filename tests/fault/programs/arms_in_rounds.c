// Arms in a loop that is always covered: those of a round are not those of the next one, nor those of another attempt.
// matrix arguments: 3
// matrix crash: 0.01 0.05
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

choreography(arms_in_rounds, (A, B, C),
    def run(A.int rounds) -> A.int, B.int {
        A.int i = 0;
        A.int sum = 0;
        B.int y = 2;
        checkpoint while (A.(i < rounds)) {
            A.int one = 0;
            A.int two = 0;
            A.i++;
            par {
                A.(sum + i) ~> B.got;
                B.y = y * 2 + got;
                B.y ~> A.one;
            } and {
                checkpoint retry 1 {
                    A.(i * 10) ~> C.k;
                    C.(k + 1) ~> A.two;
                }
            }
            A.sum = sum + one + two;
        } rescue {
            A.i++;
            B.(y + 3) ~> A.z;
            A.sum = sum + z;
        }
        A.sum ~> B.last;
        return A.sum, B.(y + last);
    }
)

#include "arms_in_rounds.A.chor.h"
#include "arms_in_rounds.B.chor.h"
#include "arms_in_rounds.C.chor.h"

int main(int argc, char **argv)
{
    struct arms_in_rounds_run_result result;
    if (arms_in_rounds_run(&result, NULL, argc > 1 ? atoi(argv[1]) : 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
