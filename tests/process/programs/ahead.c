// A block fails before two of its roles have reached it, and these recover from a later failure on their way to it: their
// channels are ahead of the block's epoch, and still nothing that belongs to its first attempt is received.
#include "kill.h"

choreography(ahead, (A, B, C),
    def run(A.int rounds) -> A.unsigned, B.unsigned, C.unsigned {
        A.unsigned a = 1;
        B.unsigned b = 1;
        C.unsigned c = 1;
        A.rounds ~> {A, B, C}.n;
        while ({A, B, C}.(n > 0)) {
            checkpoint {
                A.(kill_sleep_us(100));
                A.(risky(n)) ~> B.x;
                B.(expect(risky(x), n));
            } rescue {
                B.(n) ~> A.y;
                A.(expect(y, n));
            }
            checkpoint {
                C.(risky(n));
                A.(n + 1) ~> B.z;
                B.(expect(z, n + 1));
                A.a = a * 31 + 1;
                B.b = b * 31 + 1;
                C.c = c * 31 + 1;
            } rescue {
                C.(n + 2) ~> A.w;
                A.(expect(w, n + 2));
                A.a = a * 31 + 2;
                B.b = b * 31 + 2;
                C.c = c * 31 + 2;
            }
            A.(n + 3) ~> B.last;
            B.(expect(last, n + 3));
            {A, B, C}.n = n - 1;
        }
        return A.a, B.b, C.c;
    }
)

#include "ahead.A.chor.h"
#include "ahead.B.chor.h"
#include "ahead.C.chor.h"

static chx_status session(unsigned isolated)
{
    struct ahead_cast cast;
    struct ahead_run_result r;
    kill_isolate(&cast, sizeof cast, isolated);
    chx_status status = ahead_run(&r, &cast, 20);
    if (status == CHX_OK) {
        kill_agree("history of A and B", r.A, r.B);
        kill_agree("history of A and C", r.A, r.C);
    }
    return status;
}

int main(int argc, char **argv)
{
    return kill_main(argc, argv, session, 4);
}
