// In each round a block of C and B, one of A and B, and one that only some rounds have: roles skip what is not theirs,
// and B finds the right ones.
#include "kill.h"

choreography(skip, (A, B, C),
    def run(A.int rounds) -> A.unsigned, B.{unsigned, unsigned, int}, C.unsigned {
        A.unsigned a = 1;
        B.unsigned ab = 1;
        B.unsigned cb = 1;
        B.int rounds = 0;
        C.unsigned c = 1;
        A.rounds ~> {A, B, C}.n;
        while ({A, B, C}.(n > 0)) {
            checkpoint retry 1000000 {
                checkpoint {
                    C.(fresh()) ~> {B, C}.t;
                    C.{risky(t), n} ~> B.{int x, int m};
                    B.(expect(x, t));
                    B.(expect(m, n));
                    B.{risky(t), n} ~> C.{int y, int k};
                    C.(expect(y, t));
                    C.(expect(k, n));
                    C.c = c * 31 + 1;
                    B.cb = cb * 31 + 1;
                } rescue {
                    B.(risky(n)) ~> C.z;
                    C.(expect(z, n));
                    C.c = c * 31 + 2;
                    B.cb = cb * 31 + 2;
                }
                if ({A, B, C}.(n % 3 == 0)) {
                    checkpoint {
                        A.(risky(n)) ~> B.w;
                        B.(expect(w, n));
                        A.a = a * 31 + 3;
                        B.ab = ab * 31 + 3;
                    } rescue {
                        A.a = a * 31 + 4;
                        B.ab = ab * 31 + 4;
                    }
                }
                checkpoint {
                    A.(fresh()) ~> {A, B}.s;
                    A.{risky(s), n} ~> B.{int x, int m};
                    B.(expect(x, s));
                    B.(expect(m, n));
                    A.{risky(s), n + 1} ~> B.{int p, int q};
                    B.(expect(p, s));
                    B.(expect(q, n + 1));
                    A.a = a * 31 + 1;
                    B.ab = ab * 31 + 1;
                } rescue {
                    B.(risky(n)) ~> A.z;
                    A.(expect(z, n));
                    A.a = a * 31 + 2;
                    B.ab = ab * 31 + 2;
                }
                B.rounds += 1;
            }
            {A, B, C}.n = n - 1;
        }
        return A.a, B.{ab, cb, rounds}, C.c;
    }
)

#include "skip.A.chor.h"
#include "skip.B.chor.h"
#include "skip.C.chor.h"

static chx_status session(unsigned isolated)
{
    enum { ROUNDS = 60 };
    struct skip_cast cast;
    struct skip_run_result r;
    kill_isolate(&cast, sizeof cast, isolated);
    chx_status status = skip_run(&r, &cast, ROUNDS);
    if (status == CHX_OK) {
        kill_agree("history of A and B", r.A, r.B.v0);
        kill_agree("history of C and B", r.C, r.B.v1);
        kill_agree("rounds", r.B.v2, ROUNDS);
    }
    return status;
}

int main(int argc, char **argv)
{
    return kill_main(argc, argv, session, 200);
}
