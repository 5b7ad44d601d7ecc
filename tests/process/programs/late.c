// What a role outside of the block sent before and during it is read after it, whoever dies in the block; and what a
// participant sent before the block is read by one that enters late.
#include "kill.h"

choreography(late, (A, B, C),
    def run(A.int rounds) -> A.unsigned, B.unsigned, C.int {
        A.unsigned a = 1;
        B.unsigned b = 1;
        A.rounds ~> {A, B, C}.n;
        C.int sent = 0;
        while ({A, B, C}.(n > 0)) {
            checkpoint retry 1000000 {
                A.(fresh()) ~> {A, B, C}.tag;
                C.{tag, 1} ~> B.{int c1, int k1};
                C.{tag, 2} ~> B.{int c2, int k2};
                B.(kill_sleep_us(tag % 4 == 0 ? 300 : 0));
                A.{tag, 3} ~> B.{int c3, int k3};
                A.{tag, 4} ~> B.{int c4, int k4};
                B.(kill_sleep_us(tag % 3 == 0 ? 300 : 0));
                B.(expect(c3, tag));
                B.(expect(k3, 3));
                checkpoint {
                    A.{risky(tag), 5} ~> B.{int c5, int k5};
                    B.(expect(c5, tag));
                    B.(expect(k5, 5));
                    B.{risky(tag), 6} ~> A.{int c6, int k6};
                    A.(expect(c6, tag));
                    A.(expect(k6, 6));
                    A.{risky(tag), 7} ~> B.{int c7, int k7};
                    B.(expect(c7, tag));
                    B.(expect(k7, 7));
                    A.a = a * 31 + 1;
                    B.b = b * 31 + 1;
                } rescue {
                    B.{tag, 8} ~> A.{int c6, int k6};
                    A.(expect(c6, tag));
                    A.(expect(risky(k6), 8));
                    A.{tag, 9} ~> B.{int c7, int k7};
                    B.(expect(c7, tag));
                    B.(expect(risky(k7), 9));
                    A.a = a * 31 + 2;
                    B.b = b * 31 + 2;
                }
                C.{tag, 10} ~> B.{int c8, int k8};
                B.(expect(c1, tag));
                B.(expect(k1, 1));
                B.(expect(c2, tag));
                B.(expect(k2, 2));
                B.(expect(c4, tag));
                B.(expect(k4, 4));
                B.(expect(c8, tag));
                B.(expect(k8, 10));
                C.sent += 1;
            }
            {A, B, C}.n = n - 1;
        }
        return A.a, B.b, C.sent;
    }
)

#include "late.A.chor.h"
#include "late.B.chor.h"
#include "late.C.chor.h"

static chx_status session(unsigned isolated)
{
    enum { ROUNDS = 60 };
    struct late_cast cast;
    struct late_run_result r;
    kill_isolate(&cast, sizeof cast, isolated);
    chx_status status = late_run(&r, &cast, ROUNDS);
    if (status == CHX_OK) {
        kill_agree("history", r.A, r.B);
        kill_agree("rounds", r.C, ROUNDS);
    }
    return status;
}

int main(int argc, char **argv)
{
    return kill_main(argc, argv, session, 200);
}
