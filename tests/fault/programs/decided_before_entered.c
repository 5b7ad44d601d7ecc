// C can fail in the second block while A and B are still in the first one, which then fails, too: they enter the second
// block in its rescue, with channels that are in a later epoch already.
#include <chorex.h>
#include <stdio.h>

choreography(decided_before_entered, (A, B, C),
    def run(A.int a, B.int b, C.int c) -> A.int, B.int, C.int {
        checkpoint {
            A.(a + 1) ~> B.b;
            B.(b + 1) ~> A.a;
        } rescue {
            B.(b + 10) ~> A.a;
            A.(a + 10) ~> B.b;
        }
        checkpoint {
            C.c += 100;
            A.a ~> B.x;
            B.(b + x) ~> C.c;
        } rescue {
            B.b ~> A.x;
            A.a += x;
            A.a ~> B.b;
            A.a ~> C.c;
        }
        A.(a + 1) ~> B.b;
        return A.a, B.b, C.c;
    }
)

#include "decided_before_entered.A.chor.h"
#include "decided_before_entered.B.chor.h"
#include "decided_before_entered.C.chor.h"

int main(void)
{
    struct decided_before_entered_run_result result;
    if (decided_before_entered_run(&result, NULL, 1, 2, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
