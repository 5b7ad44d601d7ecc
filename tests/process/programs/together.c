// Five roles that all die in the same block, often at once, also in the rescue and in the rescue of the block around it.
#include "kill.h"

choreography(together, (A, B, C, D, E),
    def run(A.int rounds) -> A.unsigned, B.unsigned, C.unsigned, D.unsigned, E.unsigned {
        A.unsigned a = 1;
        B.unsigned b = 1;
        C.unsigned c = 1;
        D.unsigned d = 1;
        E.unsigned e = 1;
        A.rounds ~> {A, B, C, D, E}.n;
        while ({A, B, C, D, E}.(n > 0)) {
            checkpoint retry 1000000 {
                checkpoint {
                    checkpoint {
                        A.(fresh()) ~> {A, B, C, D, E}.t;
                        A.(risky(t)) ~> B.x;
                        B.(risky(t)) ~> C.x;
                        C.(risky(t)) ~> D.x;
                        D.(risky(t)) ~> E.x;
                        E.(risky(t)) ~> A.x;
                        A.(expect(x, t));
                        B.(expect(risky(x), t));
                        C.(expect(risky(x), t));
                        D.(expect(risky(x), t));
                        E.(expect(risky(x), t));
                        A.a = a * 31 + 1;
                        B.b = b * 31 + 1;
                        C.c = c * 31 + 1;
                        D.d = d * 31 + 1;
                        E.e = e * 31 + 1;
                    } rescue {
                        E.(risky(n)) ~> {A, C}.y;
                        B.(risky(n)) ~> {D, E}.y;
                        A.(expect(y, n));
                        C.(expect(risky(y), n));
                        D.(expect(y, n));
                        E.(expect(risky(y), n));
                        A.a = a * 31 + 2;
                        B.b = b * 31 + 2;
                        C.c = c * 31 + 2;
                        D.d = d * 31 + 2;
                        E.e = e * 31 + 2;
                    }
                } rescue {
                    C.(risky(n + 1)) ~> {A, B, D, E}.z;
                    A.(expect(z, n + 1));
                    E.(expect(risky(z), n + 1));
                    A.a = a * 31 + 3;
                    B.b = b * 31 + 3;
                    C.c = c * 31 + 3;
                    D.d = d * 31 + 3;
                    E.e = e * 31 + 3;
                }
            }
            {A, B, C, D, E}.n = n - 1;
        }
        return A.a, B.b, C.c, D.d, E.e;
    }
)

#include "together.A.chor.h"
#include "together.B.chor.h"
#include "together.C.chor.h"
#include "together.D.chor.h"
#include "together.E.chor.h"

static chx_status session(unsigned isolated)
{
    struct together_cast cast;
    struct together_run_result r;
    kill_isolate(&cast, sizeof cast, isolated);
    chx_status status = together_run(&r, &cast, 40);
    if (status == CHX_OK) {
        kill_agree("history of A and B", r.A, r.B);
        kill_agree("history of A and C", r.A, r.C);
        kill_agree("history of A and D", r.A, r.D);
        kill_agree("history of A and E", r.A, r.E);
    }
    return status;
}

int main(int argc, char **argv)
{
    return kill_main(argc, argv, session, 60);
}
