// A restarted role begins with its init; what it had in hand is as it was.
#include <chorex.h>
#include <stdio.h>

choreography(hooks, (A, B),
    int A.ready(void);
    void A.init(void);
    void A.fini(void);

    def run(A.int x, B.int y) -> A.int, B.int {
        checkpoint {
            A.x += ready();
            A.x ~> B.y;
            B.y ~> A.x;
        } rescue {
            A.x += 10 * ready();
            A.x ~> B.y;
        }
        return A.x, B.y;
    }
)

#include "hooks.A.chor.h"
#include "hooks.B.chor.h"

static int is_ready;

void A_init(void)
{
    is_ready = 1;
}

void A_fini(void)
{
    is_ready = 0;
}

int A_ready(void)
{
    return is_ready;
}

int main(void)
{
    struct hooks_run_result result;
    if (hooks_run(&result, NULL, 1, 2) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
