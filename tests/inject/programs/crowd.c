// Blocks with more participants than a record of the usual size has room for; hooks, chx_alloc.
#include "inject.h"

choreography(crowd, (A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R),
    void A.init(void);
    void A.fini(void);
    void C.work(int n);
    def run(A.int n) -> R.int {
        R.int x = 0;
        checkpoint {
            checkpoint retry 1 {
                A.n ~> {A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R}.m;
                C.work(m);
                C.(m + 1) ~> R.x;
            }
        } rescue {
            C.(7) ~> R.x;
        }
        return R.x;
    }
)

#include "crowd.A.chor.h"
#include "crowd.B.chor.h"
#include "crowd.C.chor.h"
#include "crowd.D.chor.h"
#include "crowd.E.chor.h"
#include "crowd.F.chor.h"
#include "crowd.G.chor.h"
#include "crowd.H.chor.h"
#include "crowd.I.chor.h"
#include "crowd.J.chor.h"
#include "crowd.K.chor.h"
#include "crowd.L.chor.h"
#include "crowd.M.chor.h"
#include "crowd.N.chor.h"
#include "crowd.O.chor.h"
#include "crowd.P.chor.h"
#include "crowd.Q.chor.h"
#include "crowd.R.chor.h"

void A_init(void)
{
    chx_alloc(100);
}

void A_fini(void)
{
    chx_alloc(200);
}

void C_work(int n)
{
    memset(chx_alloc(100000), n, 100000);
    chx_fail("%d", n);
}

static chx_status session(void)
{
    struct crowd_cast cast;
    struct crowd_run_result r;
    inject_cast(&cast, sizeof cast);
    chx_status status = crowd_run(&r, &cast, 4);
    if (status == CHX_OK)
        must(r.R == 7);
    return status;
}

int main(void)
{
    return inject_main(session);
}
