// Every participant gets the same fault, and nobody is told about a choice that is made on it.
#include <chorex.h>
#include <stdio.h>

choreography(same_fault_for_all, (A, B, C),
    def run(A.int x, B.int y, C.int z) -> A.int, B.int, C.int {
        checkpoint {
            A.x ~> B.y;
            B.(y + 1) ~> C.z;
            C.z ~> A.x;
        } rescue (fault) {
            if ({A, B, C}.(fault.role[0] == 'A')) {
                A.x += 1000;
                B.y ~> A._;
            } else if ({A, B, C}.(fault.role[0] == 'B')) {
                B.y += 2000;
                C.z ~> B._;
            } else {
                C.z += 3000;
                A.x ~> C._;
            }
            A.x += fault.line > 0;
        }
        return A.x, B.y, C.z;
    }
)

#include "same_fault_for_all.A.chor.h"
#include "same_fault_for_all.B.chor.h"
#include "same_fault_for_all.C.chor.h"

int main(void)
{
    struct same_fault_for_all_run_result result;
    if (same_fault_for_all_run(&result, NULL, 1, 2, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
