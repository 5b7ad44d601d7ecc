// Choices, loops and ways out of blocks: who decides, who is told and who leaves by another way may die at any of them.
#include "kill.h"

choreography(choices, (A, B, C),
    def turn(A.int n, B.int n) -> A.int, B.int, C.int {
        checkpoint {
            A.(fresh()) ~> {A, B, C}.t;
            if (A.(risky(n) % 3 == 0)) {
                A.{t, 1} ~> B.{int x, int k};
                B.(expect(x, t));
                B.(expect(k, 1));
                B.(risky(t)) ~> C.y;
                C.(expect(y, t));
                return A.(1), B.(1), C.(1);
            } else {
                C.(risky(t)) ~> B.z;
                B.(expect(z, t));
            }
            B.int left = 3;
            while (B.(risky(left) > 0)) {
                B.t ~> C.u;
                C.(expect(u, t));
                B.left -= 1;
            }
            switch (C.(risky(t) % 4)) {
            case 0:
                C.t ~> A.w;
                A.(expect(w, t));
                break;
            case 1:
                A.t ~> C.w;
                C.(expect(w, t));
                return A.(2), B.(2), C.(2);
            default:
                break;
            }
            A.(risky(t)) ~> B.last;
            B.(expect(last, t));
        } rescue {
            if (B.(risky(n) % 2 == 0)) {
                B.n ~> A.m;
                A.(expect(m, n));
                return A.(3), B.(3), C.(3);
            }
            A.(n + 1) ~> C.m;
            C.(risky(m)) ~> A.back;
            A.(expect(back, n + 1));
        }
        return A.(4), B.(4), C.(4);
    }
    def run(A.int rounds) -> A.unsigned, B.unsigned, C.unsigned {
        A.unsigned a = 1;
        B.unsigned b = 1;
        C.unsigned c = 1;
        A.rounds ~> {A, B, C}.n;
        while ({A, B, C}.(n > 0)) {
            checkpoint retry 1000000 {
                A.x, B.y, C.z = turn(A.n, B.n);
                if (B.(risky(y) == 4)) {
                    {A, B, C}.n = n - 1;
                    A.a = a * 31 + 5;
                    B.b = b * 31 + 5;
                    C.c = c * 31 + 5;
                    continue;
                }
                A.a = a * 31 + (unsigned)x;
                B.b = b * 31 + (unsigned)y;
                C.c = c * 31 + (unsigned)z;
            }
            {A, B, C}.n = n - 1;
        }
        return A.a, B.b, C.c;
    }
)

#include "choices.A.chor.h"
#include "choices.B.chor.h"
#include "choices.C.chor.h"

static chx_status session(unsigned isolated)
{
    struct choices_cast cast;
    struct choices_run_result r;
    kill_isolate(&cast, sizeof cast, isolated);
    chx_status status = choices_run(&r, &cast, 60);
    if (status == CHX_OK) {
        kill_agree("history of A and B", r.A, r.B);
        kill_agree("history of A and C", r.A, r.C);
    }
    return status;
}

int main(int argc, char **argv)
{
    return kill_main(argc, argv, session, 200);
}
