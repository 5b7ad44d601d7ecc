// In another attempt the blocks inside begin anew, for who had reached them and for who had not.
// expect: 16 16
#include <chorex.h>
#include <stdio.h>

choreography(again, (A, B, C),
    def inner(A.int n) -> B.int, C.int {
        B.int b = 0;
        C.int c = 0;
        checkpoint {
            A.n ~> B.b;
            B.b ~> C.c;
        } rescue {
            B.b = -1000;
        }
        return B.b, C.c;
    }
    def run() -> B.int, C.int {
        B.int sum = 0;
        C.int sum = 0;
        for (A.int i = 0; A.(i < 5); A.i++) {
            A.i ~> C.i;
            B.int b = 0;
            C.int c = 0;
            checkpoint retry 1 {
                // When C fails, A and B are in the inner block already, or not.
                C.(i % 2 == 1 ? chx_fail("odd") : (void)0);
                B.b, C.c = inner(A.i);
            } rescue {
                B.b, C.c = inner(A.(5));
            }
            B.sum += b;
            C.sum += c;
        }
        return B.sum, C.sum;
    }
)

#include "again.A.chor.h"
#include "again.B.chor.h"
#include "again.C.chor.h"

int main(void)
{
    struct again_run_result r;
    if (again_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d\n", r.B, r.C);
    return 0;
}
