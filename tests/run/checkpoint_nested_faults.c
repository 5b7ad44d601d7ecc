// Names in nested blocks and rescues: each fault is that of its own rescue, and can be kept and sent.
// expect: 1 in100a! 1107 in100a 2
#include <chorex.h>
#include <stdio.h>

choreography(y, (A, B, C),
    def run() -> A.{int, const char *}, B.int, C.{const char *, int} {
        A.int x = 1;
        B.int x = 2;
        C.const char *why = "none";
        C.int line = 0;
        A.const char *last = "";
        checkpoint {
            A.int x = 10;
            A.char y = 'a';
            checkpoint {
                A.long x = 100;
                A.(chx_fail("in%ld%c", x, y));
                A.x ~> B.x;
            } rescue (fault) {
                B.int x = 20;
                checkpoint {
                    B.(chx_fail("mid%d", x));
                    B.x ~> A.x;
                } rescue (fault) {
                    A.last = fault.why;
                    B.int fault2 = fault.line;
                    B.fault2 ~> A.x;
                }
                A.fault.why ~> C.why;  // the outer one again
                C.line = 1;  // C in the rescue, but not by the fault
            }
            A.x += 1000;
            B.{x} ~> C.{line};
            A.x ~> B.x;
        } rescue (fault) {
            A.x = -1;
            B.x = -1;
            C.line = -1;
        }
        checkpoint {
            C.(chx_fail("%s!", why));
            C.line ~> B.x;
            A.x = 0;
        } rescue (f) {
            A.chx_fault copy = f;
            A.last = copy.why;
            B.x += f.line;
            C.{f.kind, f.line} ~> B.{int k, int l};
            B.x += k + l;
        }
        return A.{x, last}, B.x, C.{why, line};
    }
)

#include "y.A.chor.h"
#include "y.B.chor.h"
#include "y.C.chor.h"

int main(void)
{
    struct y_run_result r;
    if (y_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %s %d %s %d\n", r.A.v0, r.A.v1, r.B, r.C.v0, r.C.v1);
    y_run_result_drop(&r);
}
