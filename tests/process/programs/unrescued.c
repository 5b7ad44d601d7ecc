// No blocks at all: every death ends its session, with a report that says who, why and where; never in a hang.
#include "kill.h"

choreography(unrescued, (A, B, C),
    def run(A.int rounds) -> C.int {
        C.int sum = 0;
        for (A.int i = 0; A.(i < rounds); A.i++) {
            A.(outside(i)) ~> B.x;
            B.(outside(x)) ~> C.y;
            C.sum += y;
            C.(outside(y)) ~> A.z;
            A.(expect(z, i));
        }
        return C.sum;
    }
)

#include "unrescued.A.chor.h"
#include "unrescued.B.chor.h"
#include "unrescued.C.chor.h"

static chx_status session(unsigned isolated)
{
    enum { ROUNDS = 100 };
    struct unrescued_cast cast;
    struct unrescued_run_result r;
    kill_isolate(&cast, sizeof cast, isolated);
    chx_status status = unrescued_run(&r, &cast, ROUNDS);
    if (status == CHX_OK)
        kill_agree("sum", r.C, ROUNDS * (ROUNDS - 1) / 2);
    return status;
}

int main(int argc, char **argv)
{
    return kill_main(argc, argv, session, 200);
}
