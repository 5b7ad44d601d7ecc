// Arms of one par that is come to again and again, without a block: B may be several of them ahead of A.
#include <chorex.h>
#include <stdio.h>

choreography(arms_in_a_loop, (A, B, C),
    def run() -> A.int, C.int {
        A.int sum = 0;
        C.int got = 0;
        C.int all = 0;
        for (B.int i = 0; B.(i < 4); B.i++) {
            A.int x = 0;
            par {
                B.(i * i + 1) ~> A.x;
            } and {
                B.(i + 10) ~> C.got;
            }
            A.sum = sum * 3 + x;
            C.all = all * 2 + got;
        }
        return A.sum, C.all;
    }
)

#include "arms_in_a_loop.A.chor.h"
#include "arms_in_a_loop.B.chor.h"
#include "arms_in_a_loop.C.chor.h"

int main(void)
{
    struct arms_in_a_loop_run_result result;
    if (arms_in_a_loop_run(&result, NULL) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.C);
    return 0;
}
