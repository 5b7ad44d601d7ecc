// A tells C something, does a step, tells B something and waits for B's answer: C, which is ready by then, must have its turn
// though B runs in A's place.
#include <chorex.h>
#include <stdio.h>

choreography(told_one_after_the_other, (A, B, C),
    def run(A.int x, B.int y, C.int z) -> A.int, B.int, C.int {
        checkpoint retry 1 {
            for ({A, B, C}.int i = 0; {A, B, C}.(i < 4); {A, B, C}.i++) {
                A.x ~> C.told;
                A.x += 1;
                A.x ~> B.got;
                B.y += got;
                B.y ~> A.answer;
                A.x += answer % 11;
                C.z += told;
                C.z ~> A.last;
                A.x += last % 7;
            }
        } rescue {
            A.x += 100;
            B.y ~> C.z;
        }
        return A.x, B.y, C.z;
    }
)

#include "told_one_after_the_other.A.chor.h"
#include "told_one_after_the_other.B.chor.h"
#include "told_one_after_the_other.C.chor.h"

int main(void)
{
    struct told_one_after_the_other_run_result result;
    if (told_one_after_the_other_run(&result, NULL, 1, 2, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
