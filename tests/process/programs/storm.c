// Three roles in nested blocks, a fourth outside of them; whatever fails in a rescue belongs to the enclosing block.
#include "kill.h"

choreography(storm, (A, B, C, D),
    def run(A.int rounds) -> A.unsigned, B.unsigned, C.unsigned, D.{unsigned, int} {
        A.unsigned a = 1;
        B.unsigned b = 1;
        C.unsigned c = 1;
        D.unsigned d = 1;
        D.int heard = 0;
        A.rounds ~> {A, B, C, D}.n;
        while ({A, B, C, D}.(n > 0)) {
            checkpoint retry 1000000 {
                A.int nonce = fresh();
                A.nonce ~> {B, C, D}.tag;
                D.{tag, n * 7} ~> B.{int dt, int outsider};
                A.int v = value(n, 0);
                B.int w = value(n, 1);
                C.int z = value(n, 2);
                checkpoint {
                    A.int inner = fresh();
                    A.{inner, risky(n)} ~> {B, C}.{t, int x};
                    A.v += inner;
                    B.w += t;
                    C.z += t;
                    B.(expect(x, n));
                    C.(expect(x, n));
                    B.int r = 5;
                    A.int s = 6;
                    checkpoint retry 1 {
                        A.int innermost = fresh();
                        A.s += innermost;
                        A.{innermost, risky(1)} ~> B.{u, int i};
                        B.r += u;
                        B.(expect(i, 1));
                        B.{u, risky(2)} ~> A.{int y, int j};
                        A.(expect(y, innermost));
                        A.(expect(j, 2));
                        A.{innermost, risky(3)} ~> B.{int k, int l};
                        B.(expect(k, u));
                        B.(expect(l, 3));
                        A.a = a * 31 + 1;
                        B.b = b * 31 + 1;
                    } rescue {
                        A.(restored(s, 6));
                        B.(restored(r, 5));
                        A.{inner, risky(4)} ~> B.{int k, int l};
                        B.(expect(k, t));
                        B.(expect(l, 4));
                        A.a = a * 31 + 2;
                        B.b = b * 31 + 2;
                    }
                    B.{t, risky(5)} ~> C.{int e, int f};
                    C.(expect(e, t));
                    C.(expect(f, 5));
                    C.{t, risky(6)} ~> A.{int g, int h};
                    A.(expect(g, inner));
                    A.(expect(h, 6));
                    A.a = a * 31 + 3;
                    B.b = b * 31 + 3;
                    C.c = c * 31 + 3;
                } rescue {
                    A.(restored(v, value(n, 0)));
                    B.(restored(w, value(n, 1)));
                    C.(restored(z, value(n, 2)));
                    C.{tag, risky(7)} ~> B.{int e, int f};
                    B.(expect(e, tag));
                    B.(expect(f, 7));
                    A.a = a * 31 + 4;
                    B.b = b * 31 + 4;
                    C.c = c * 31 + 4;
                }
                B.(expect(dt, tag));
                B.(expect(outsider, n * 7));
                A.a ~> D.unsigned one;
                B.b ~> D.unsigned other;
                C.tag ~> D.int third;
                D.(expect(third, tag));
                D.heard += one == other;
                D.d = one;
            }
            {A, B, C, D}.n = n - 1;
        }
        return A.a, B.b, C.c, D.{d, heard};
    }
)

#include "storm.A.chor.h"
#include "storm.B.chor.h"
#include "storm.C.chor.h"
#include "storm.D.chor.h"

static chx_status session(unsigned isolated)
{
    enum { ROUNDS = 60 };
    struct storm_cast cast;
    struct storm_run_result r;
    kill_isolate(&cast, sizeof cast, isolated);
    chx_status status = storm_run(&r, &cast, ROUNDS);
    if (status == CHX_OK) {
        kill_agree("history of A and B", r.A, r.B);
        kill_agree("history of A and D", r.A, r.D.v0);
        kill_agree("rounds", r.D.v1, ROUNDS);
    }
    return status;
}

int main(int argc, char **argv)
{
    return kill_main(argc, argv, session, 300);
}
