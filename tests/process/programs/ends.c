// Blocks that are over as soon as they begin, one after the other: most deaths come at an entry or at an end, some when
// the block is done and the role does not know it yet. Outside of all blocks a death is a report.
#include "kill.h"

choreography(ends, (A, B, C),
    def run(A.int rounds) -> A.int, B.int, C.int {
        A.rounds ~> {A, B, C}.n;
        A.int a = 0;
        B.int b = 0;
        C.int c = 0;
        while ({A, B, C}.(n > 0)) {
            checkpoint {
                A.(risky(n));
                B.(risky(n));
            } rescue {
                A.a += 1;
                B.b += 1;
            }
            checkpoint {
                checkpoint {
                    B.(risky(n));
                    C.(risky(n));
                    A.(n) ~> B._;
                } rescue {
                    C.(risky(n));
                    A.(n) ~> C._;
                }
                checkpoint retry 3 {
                    C.(risky(n)) ~> A._;
                }
            } rescue {
                A.a += 1000;
                B.b += 1000;
                C.c += 1000;
            }
            A.(outside(n)) ~> B.m;
            B.(expect(m, n));
            {A, B, C}.n = n - 1;
        }
        return A.a, B.b, C.c;
    }
)

#include "ends.A.chor.h"
#include "ends.B.chor.h"
#include "ends.C.chor.h"

static chx_status session(unsigned isolated)
{
    struct ends_cast cast;
    struct ends_run_result r;
    kill_isolate(&cast, sizeof cast, isolated);
    chx_status status = ends_run(&r, &cast, 100);
    if (status == CHX_OK) {
        kill_agree("rescues of A and B", r.A, r.B);
        kill_agree("rescues of A and C", r.A / 1000, r.C / 1000);
    }
    return status;
}

int main(int argc, char **argv)
{
    return kill_main(argc, argv, session, 100);
}
