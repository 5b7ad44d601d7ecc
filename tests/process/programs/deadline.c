// Blocks with deadlines: roles that loop endlessly or are stopped are killed when the time is up, and the block goes on.
#include "kill.h"

choreography(deadline, (A, B, C),
    def run(A.int rounds) -> A.{unsigned, int}, B.unsigned, C.unsigned {
        A.unsigned a = 1;
        B.unsigned b = 1;
        C.unsigned c = 1;
        A.int overdue = 0;
        A.rounds ~> {A, B, C}.n;
        while ({A, B, C}.(n > 0)) {
            checkpoint retry 1000000 {
                checkpoint retry 1 within 30ms {
                    A.(fresh()) ~> {A, B, C}.t;
                    A.{timed(t), 1} ~> B.{int a1, int b1};
                    B.(expect(a1, t));
                    B.(expect(b1, 1));
                    B.{timed(t), 2} ~> C.{int a2, int b2};
                    C.(expect(a2, t));
                    C.(expect(b2, 2));
                    C.{timed(t), 3} ~> A.{int a3, int b3};
                    A.(expect(a3, t));
                    A.(expect(b3, 3));
                    A.a = a * 31 + 1;
                    B.b = b * 31 + 1;
                    C.c = c * 31 + 1;
                } rescue (fault) {
                    if ({A, B, C}.(fault.kind == CHX_FAULT_DEADLINE)) {
                        A.overdue += 1;
                    }
                    C.(n + 9) ~> A.x;
                    A.(expect(x, n + 9));
                    A.(risky(n)) ~> B.y;
                    B.(expect(y, n));
                    A.a = a * 31 + 2;
                    B.b = b * 31 + 2;
                    C.c = c * 31 + 2;
                }
            }
            {A, B, C}.n = n - 1;
        }
        return A.{a, overdue}, B.b, C.c;
    }
)

#include "deadline.A.chor.h"
#include "deadline.B.chor.h"
#include "deadline.C.chor.h"

static chx_status session(unsigned isolated)
{
    struct deadline_cast cast;
    struct deadline_run_result r;
    kill_isolate(&cast, sizeof cast, isolated);
    chx_status status = deadline_run(&r, &cast, 60);
    if (status == CHX_OK) {
        kill_agree("history of A and B", r.A.v0, r.B);
        kill_agree("history of A and C", r.A.v0, r.C);
    }
    return status;
}

int main(int argc, char **argv)
{
    return kill_main(argc, argv, session, 60);
}
