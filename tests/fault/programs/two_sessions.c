// Two sessions of one choreography at once: a failure in one is nothing to the other.
#include <chorex.h>
#include <stdio.h>

choreography(two_sessions, (A, B),
    def run(A.int x, B.int y) -> A.int, B.int {
        A.x ~> B.got;
        checkpoint {
            B.y += got;
            B.y ~> A.x;
        } rescue {
            A.x += 100;
            A.x ~> B.y;
        }
        A.x ~> B.got;
        return A.x, B.(y + got);
    }
)

#include "two_sessions.A.chor.h"
#include "two_sessions.B.chor.h"

int main(void)
{
    chx_session *sessions[2];
    for (int i = 0; i < 2; i++)
        if ((sessions[i] = two_sessions_run_start(NULL, NULL, i + 1, 10 * i)) == NULL)
            return 1;
    for (int i = 0; i < 2; i++) {
        struct two_sessions_run_result result;
        if (two_sessions_run_wait(sessions[i], &result) != CHX_OK)
            puts("failed");
        else
            printf("%d %d\n", result.A, result.B);
    }
    return 0;
}
