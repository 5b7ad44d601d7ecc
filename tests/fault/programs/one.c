// Two roles, one block; both branches talk, and both go on after it.
#include <chorex.h>
#include <stdio.h>

choreography(one, (A, B),
    def run(A.int x) -> A.int, B.int {
        A.x ~> B.y;
        A.int got = 0;
        checkpoint {
            B.(y + 1) ~> A.got;
            A.(got * 10) ~> B.y;
        } rescue {
            A.(x + 100) ~> B.y;
            B.(y * 2) ~> A.got;
        }
        A.(got + x) ~> B.last;
        return A.got, B.(last * 1000 + y);
    }
)

#include "one.A.chor.h"
#include "one.B.chor.h"

int main(void)
{
    struct one_run_result result;
    if (one_run(&result, NULL, 7) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
