// Rounds with a deadline and another attempt each, inside of a block.
#include <chorex.h>
#include <stdio.h>

choreography(rounds_within, (A, B, C),
    def run(A.int start) -> A.int, B.int, C.int {
        A.int x = start;
        B.int y = 0;
        C.int z = 0;
        checkpoint {
            {A, B, C}.int i = 0;
            checkpoint retry 1 within 50ms while ({A, B, C}.(i < 3)) {
                {A, B, C}.i++;
                A.(x + 1) ~> B.b;
                B.y += b;
                B.y ~> C.c;
                C.z += c;
                C.z ~> A.x;
            } rescue {
                {A, B, C}.i++;
                C.(z + 5) ~> A.x;
            }
            A.x ~> B.y;
        } rescue {
            B.(y + rescued()) ~> A.x;
        }
        return A.x, B.y, C.z;
    }
    int B.rescued(void);
)

#include "rounds_within.A.chor.h"
#include "rounds_within.B.chor.h"
#include "rounds_within.C.chor.h"

int B_rescued(void)
{
    return 100;
}

int main(void)
{
    struct rounds_within_run_result result;
    if (rounds_within_run(&result, NULL, 4) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
