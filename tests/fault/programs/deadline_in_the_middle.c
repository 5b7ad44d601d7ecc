// The deadline passes while A is at a step, after it has told B something and before it waits for the answer: A has to learn
// it, though it is about to let B run in its place. In the next attempt everything begins with A.
#include <chorex.h>
#include <stdio.h>

choreography(deadline_in_the_middle, (A, B),
    def run(A.int x, B.int y) -> A.int, B.int {
        for ({A, B}.int i = 0; {A, B}.(i < 5); {A, B}.i++) {
            checkpoint retry 2 within 1ms {
                A.x ~> B.first;
                B.y += first;
                A.x += 1;
                B.y ~> A.second;
                A.x += second % 7;
                A.x ~> B.third;
                B.y += third;
                B.y ~> A.fourth;
                A.x += fourth % 5;
            } rescue {
                A.x += 100;
                B.y += 200;
            }
        }
        return A.x, B.y;
    }
)

#include "deadline_in_the_middle.A.chor.h"
#include "deadline_in_the_middle.B.chor.h"

int main(void)
{
    struct deadline_in_the_middle_run_result result;
    if (deadline_in_the_middle_run(&result, NULL, 1, 2) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
