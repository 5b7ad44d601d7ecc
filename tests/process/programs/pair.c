// Two roles, a loop of blocks; both branches talk, and both roles go on after each.
#include "kill.h"

choreography(pair, (A, B),
    def run(A.int rounds) -> A.{int, int, unsigned}, B.{int, int, unsigned} {
        A.int done = 0;
        A.int rescued = 0;
        A.unsigned digest = 1;
        B.int done = 0;
        B.int rescued = 0;
        B.unsigned digest = 1;
        A.rounds ~> {A, B}.n;
        while ({A, B}.(n > 0)) {
            A.int v = value(n, 0);
            B.int w = value(n, 1);
            checkpoint {
                A.int nonce = fresh();
                A.v += nonce;
                A.{nonce, risky(n), 0} ~> B.{nonce, int m, int k};
                B.w += nonce;
                B.(expect(m, n));
                B.(expect(k, 0));
                B.{nonce, risky(n), 1} ~> A.{int a, int b, int c};
                A.(expect(a, nonce));
                A.(expect(b, n));
                A.(expect(c, 1));
                A.{nonce, risky(n), 2} ~> B.{int d, int e, int f};
                A.{nonce, risky(n), 3} ~> B.{int g, int h, int i};
                B.(expect(d, nonce));
                B.(expect(e, n));
                B.(expect(f, 2));
                B.(expect(risky(g), nonce));
                B.(expect(h, n));
                B.(expect(i, 3));
                A.(risky(0));
                A.done += 1;
                B.done += 1;
                A.digest = digest * 31 + 1;
                B.digest = digest * 31 + 1;
            } rescue {
                A.(restored(v, value(n, 0)));
                B.(restored(w, value(n, 1)));
                B.(w + 1) ~> A.x;
                A.(expect(x, value(n, 1) + 1));
                A.(v + 2) ~> B.y;
                B.(expect(y, value(n, 0) + 2));
                A.rescued += 1;
                B.rescued += 1;
                A.digest = digest * 31 + 2;
                B.digest = digest * 31 + 2;
            }
            A.(n * 5) ~> B.last;
            B.(expect(last, n * 5));
            {A, B}.n = n - 1;
        }
        return A.{done, rescued, digest}, B.{done, rescued, digest};
    }
)

#include "pair.A.chor.h"
#include "pair.B.chor.h"

static chx_status session(unsigned isolated)
{
    enum { ROUNDS = 100 };
    struct pair_cast cast;
    struct pair_run_result r;
    kill_isolate(&cast, sizeof cast, isolated);
    chx_status status = pair_run(&r, &cast, ROUNDS);
    if (status == CHX_OK) {
        kill_agree("rounds", r.A.v0 + r.A.v1, ROUNDS);
        kill_agree("bodies", r.A.v0, r.B.v0);
        kill_agree("history", r.A.v2, r.B.v2);
    }
    return status;
}

int main(int argc, char **argv)
{
    return kill_main(argc, argv, session, 300);
}
