// A whole fault is a value like others: it can be sent, kept and returned.
// expect: A sent 0 10
#include <chorex.h>
#include <stdio.h>

choreography(z, (A, B, C),
    def run() -> C.chx_fault {
        C.chx_fault g;
        checkpoint {
            A.(chx_fail("sent"));
            A.(1) ~> B._;
        } rescue (f) {
            B.(f) ~> C.g;
            A.(1) ~> B._;
        }
        return C.g;
    }
)

#include "z.A.chor.h"
#include "z.B.chor.h"
#include "z.C.chor.h"

int main(void)
{
    struct z_run_result r;
    if (z_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%s %s %d %d\n", r.C.role, r.C.why, r.C.kind, r.C.line);
    z_run_result_drop(&r);
}
