// Channels that hold few messages: a sender that waits for room is called back, and nothing of the attempt stays in them.
#include "kill.h"

choreography(full, (A, B),
    def run(A.int rounds) -> A.unsigned, B.unsigned {
        A.unsigned a = 1;
        B.unsigned b = 1;
        A.rounds ~> {A, B}.n;
        while ({A, B}.(n > 0)) {
            checkpoint retry 1000000 {
                checkpoint {
                    A.(fresh()) ~> {A, B}.t;
                    A.{risky(t), 1} ~> B.{int a1, int b1};
                    A.{risky(t), 2} ~> B.{int a2, int b2};
                    A.{risky(t), 3} ~> B.{int a3, int b3};
                    A.{risky(t), 4} ~> B.{int a4, int b4};
                    A.{risky(t), 5} ~> B.{int a5, int b5};
                    B.(expect(a1, t));
                    B.(expect(risky(b1), 1));
                    B.(expect(a2, t));
                    B.(expect(b2, 2));
                    B.(expect(a3, t));
                    B.(expect(risky(b3), 3));
                    B.(expect(a4, t));
                    B.(expect(b4, 4));
                    B.(expect(a5, t));
                    B.(expect(b5, 5));
                    A.a = a * 31 + 1;
                    B.b = b * 31 + 1;
                } rescue {
                    B.(risky(n)) ~> A.x;
                    B.(n + 1) ~> A.y;
                    B.(n + 2) ~> A.z;
                    A.(expect(x, n));
                    A.(expect(y, n + 1));
                    A.(expect(z, n + 2));
                    A.(risky(n)) ~> B.w;
                    B.(expect(w, n));
                    A.a = a * 31 + 2;
                    B.b = b * 31 + 2;
                }
            }
            {A, B}.n = n - 1;
        }
        return A.a, B.b;
    }
)

#include "full.A.chor.h"
#include "full.B.chor.h"

static chx_status session(unsigned isolated)
{
    static unsigned bound;
    struct full_cast cast;
    struct full_run_result r;
    kill_isolate(&cast, sizeof cast, isolated);
    bound = bound % 4 + 1;
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.channel_messages = bound});
    chx_session *running = full_run_start(runtime, &cast, 100);
    if (running == NULL)
        abort();
    chx_status status = full_run_wait(running, &r);
    if (status == CHX_OK)
        kill_agree("history", r.A, r.B);
    chx_runtime_free(runtime);
    return status;
}

int main(int argc, char **argv)
{
    return kill_main(argc, argv, session, 200);
}
