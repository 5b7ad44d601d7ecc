// Messages that were sent before the block and lie unread in it: they are read after it, once and in order, even when
// both their sender and their reader have died meanwhile. Nobody takes anything up outside, so fewer deaths there.
#include "kill.h"

choreography(unread, (A, B, C),
    def run(A.int rounds) -> A.int, B.int, C.int {
        A.rounds ~> {A, B, C}.n;
        A.int number = 0;
        C.int number = 0;
        B.int fromA = 0;
        B.int fromC = 0;
        A.int rescued = 0;
        B.int rescued = 0;
        while ({A, B, C}.(n > 0)) {
            A.number ~> B.a1;
            C.number ~> B.c1;
            A.(number + 1) ~> B.a2;
            C.(number + 1) ~> B.c2;
            C.n ~> A.nothing;
            A.(expect(nothing, n));
            checkpoint {
                B.(kill_sleep_us(n % 5 == 0 ? 200 : 0));
                A.(risky(n)) ~> B.x;
                B.(expect(x, n));
                B.(risky(n + 1)) ~> A.y;
                A.(expect(y, n + 1));
            } rescue {
                A.rescued += 1;
                B.rescued += 1;
                B.(expect(a1, fromA));
            }
            B.(expect(a1, fromA));
            B.(expect(a2, fromA + 1));
            B.(expect(c1, fromC));
            B.(expect(c2, fromC + 1));
            B.fromA += 2;
            B.fromC += 2;
            A.number += 2;
            C.number += 2;
            {A, B, C}.n = n - 1;
        }
        return A.rescued, B.rescued, C.number;
    }
)

#include "unread.A.chor.h"
#include "unread.B.chor.h"
#include "unread.C.chor.h"

static chx_status session(unsigned isolated)
{
    enum { ROUNDS = 100 };
    struct unread_cast cast;
    struct unread_run_result r;
    kill_isolate(&cast, sizeof cast, isolated);
    chx_status status = unread_run(&r, &cast, ROUNDS);
    if (status == CHX_OK) {
        kill_agree("rescues", r.A, r.B);
        kill_agree("rounds", r.C, 2 * ROUNDS);
    }
    return status;
}

int main(int argc, char **argv)
{
    return kill_main(argc, argv, session, 150);
}
