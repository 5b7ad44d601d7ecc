// A channel that holds one message: a sender that waits for room is called back by a recovery.
#include <chorex.h>
#include <stdio.h>

choreography(bound_of_one, (A, B),
    def run(A.int x) -> A.int, B.int {
        B.int y = 1;
        A.int got = 0;
        checkpoint {
            A.(x + 1) ~> B.a;
            A.(x + 2) ~> B.b;
            A.(x + 3) ~> B.c;
            B.y = a + b + c;
        } rescue {
            B.(y + 40) ~> A.got;
            B.(y + 41) ~> A.x;
        }
        A.(x + got) ~> B.last;
        return A.x, B.(y * 100 + last);
    }
)

#include "bound_of_one.A.chor.h"
#include "bound_of_one.B.chor.h"

int main(void)
{
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.channel_messages = 1});
    if (runtime == NULL)
        return 1;
    struct bound_of_one_run_result result;
    chx_session *session = bound_of_one_run_start(runtime, NULL, 7);
    if (session == NULL)
        return 1;
    chx_status status = bound_of_one_run_wait(session, &result);
    if (status != CHX_OK)
        puts("failed");
    else
        printf("%d %d\n", result.A, result.B);
    chx_runtime_free(runtime);
    return 0;
}
