// Roles that often die in the same attempt of a block: the second death changes nothing, and the rescue runs once. Nothing
// encloses the blocks, so a death that were charged to the rescue would end the session.
#include "kill.h"

choreography(twins, (A, B, C),
    def run(A.int rounds) -> A.unsigned, B.unsigned, C.unsigned {
        A.unsigned a = 1;
        B.unsigned b = 1;
        C.unsigned c = 1;
        A.rounds ~> {A, B, C}.n;
        while ({A, B, C}.(n > 0)) {
            checkpoint {
                A.(risky(n));
                B.(risky(n));
                C.(risky(n));
                A.(risky(n)) ~> B.x;
                B.(risky(n)) ~> C.x;
                C.(risky(n)) ~> A.x;
                A.(expect(x, n));
                B.(expect(x, n));
                C.(expect(x, n));
                A.a = a * 31 + 1;
                B.b = b * 31 + 1;
                C.c = c * 31 + 1;
            } rescue {
                C.(n + 1) ~> {A, B}.y;
                A.(expect(y, n + 1));
                B.(expect(y, n + 1));
                A.a = a * 31 + 2;
                B.b = b * 31 + 2;
                C.c = c * 31 + 2;
            }
            {A, B, C}.n = n - 1;
        }
        return A.a, B.b, C.c;
    }
)

#include "twins.A.chor.h"
#include "twins.B.chor.h"
#include "twins.C.chor.h"

static chx_status session(unsigned isolated)
{
    struct twins_cast cast;
    struct twins_run_result r;
    kill_isolate(&cast, sizeof cast, isolated);
    chx_status status = twins_run(&r, &cast, 20);
    if (status == CHX_OK) {
        kill_agree("history of A and B", r.A, r.B);
        kill_agree("history of A and C", r.A, r.C);
    }
    return status;
}

int main(int argc, char **argv)
{
    return kill_main(argc, argv, session, 6);
}
