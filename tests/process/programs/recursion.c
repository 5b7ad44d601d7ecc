// Blocks in recursion: each level is a block inside the block of the level above; deaths on the way down, at the bottom
// and on the way up.
#include "kill.h"

choreography(recursion, (A, B, C),
    def down(A.int depth, B.int depth, A.int level) -> A.int, B.int {
        A.int kept = level * 3 + depth;
        B.int kept = depth * 5;
        A.level ~> B.int l;
        checkpoint {
            A.int nonce = fresh();
            A.kept += nonce;
            A.nonce ~> B.t;
            B.kept += t;
            if (A.(depth > 0)) {
                A.a, B.b = down(A.(depth - 1), B.(depth - 1), A.(level + 1));
                A.{nonce, risky(a)} ~> B.{int s, int x};
                B.(expect(s, t));
                B.(expect(x, b));
                return A.(a * 2 + 1), B.(b * 2 + 1);
            } else {
                B.{t, risky(depth)} ~> A.{int s, int y};
                A.(expect(s, nonce));
                A.(expect(y, 0));
                return A.(1), B.(1);
            }
        } rescue {
            A.(restored(kept, level * 3 + depth));
            B.(restored(kept, depth * 5));
            A.(risky(level)) ~> B.m;
            B.(expect(m, l));
            return A.(level * 2), B.(m * 2);
        }
    }
    def run(A.int rounds) -> A.long, B.long, C.int {
        A.long sum = 0;
        B.long sum = 0;
        C.int rounds = 0;
        A.rounds ~> {A, B, C}.n;
        while ({A, B, C}.(n > 0)) {
            checkpoint retry 1000000 {
                A.a, B.b = down(A.(12), B.(12), A.(0));
                A.a ~> C.x;
                B.b ~> C.y;
                C.(expect(x, y));
                C.rounds += 1;
                A.sum += a;
                B.sum += b;
            }
            {A, B, C}.n = n - 1;
        }
        return A.sum, B.sum, C.rounds;
    }
)

#include "recursion.A.chor.h"
#include "recursion.B.chor.h"
#include "recursion.C.chor.h"

static chx_status session(unsigned isolated)
{
    enum { ROUNDS = 15 };
    struct recursion_cast cast;
    struct recursion_run_result r;
    kill_isolate(&cast, sizeof cast, isolated);
    chx_status status = recursion_run(&r, &cast, ROUNDS);
    if (status == CHX_OK) {
        kill_agree("sums", r.A, r.B);
        kill_agree("rounds", r.C, ROUNDS);
    }
    return status;
}

int main(int argc, char **argv)
{
    return kill_main(argc, argv, session, 150);
}
