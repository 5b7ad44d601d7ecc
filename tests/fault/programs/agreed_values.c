// Values that several roles agree on, changed in the block and back again after a failure.
#include <chorex.h>
#include <stdio.h>

choreography(agreed_values, (A, B, C),
    def run(A.int x) -> A.int, B.int, C.int {
        A.x ~> {A, B, C}.n;
        B.int y = 0;
        checkpoint {
            {A, B, C}.n = n + 1;
            if ({A, B}.(n > 5)) {
                A.(n * 2) ~> B.y;
            }
            B.y ~> C._;
        } rescue (fault) {
            {A, B, C}.n = n + 10;
            if ({A, B, C}.(fault.role[0] == 'A')) {
                B.(n + 1) ~> A.x;
            } else {
                A.(n + 2) ~> B.y;
            }
        }
        return A.(x + n), B.(y + n), C.n;
    }
)

#include "agreed_values.A.chor.h"
#include "agreed_values.B.chor.h"
#include "agreed_values.C.chor.h"

int main(void)
{
    struct agreed_values_run_result result;
    if (agreed_values_run(&result, NULL, 7) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
