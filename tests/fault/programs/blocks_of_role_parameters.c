// A function with role parameters holds a block: each of its instances has participants of its own.
// matrix results: not compared, since the sequential program can't tell the instances apart
#include <chorex.h>
#include <stdio.h>

choreography(blocks_of_role_parameters, (A, B, C),
    def swap[X, Y](X.int x, Y.int y) -> X.int, Y.int {
        checkpoint {
            X.x ~> Y.new;
            Y.y ~> X.x;
            Y.y = new;
        } rescue {
            Y.(y + 1) ~> X.x;
        }
        return X.x, Y.y;
    }
    def run(A.int a, B.int b, C.int c) -> A.int, B.int, C.int {
        for ({A, B, C}.int i = 0; {A, B, C}.(i < 2); {A, B, C}.i++) {
            A.a, B.b = swap[A, B](A.a, B.b);
            C.c, B.b = swap[C, B](C.c, B.b);
            A.a, C.c = swap[A, C](A.a, C.c);
        }
        return A.a, B.b, C.c;
    }
)

#include "blocks_of_role_parameters.A.chor.h"
#include "blocks_of_role_parameters.B.chor.h"
#include "blocks_of_role_parameters.C.chor.h"

int main(void)
{
    struct blocks_of_role_parameters_run_result result;
    if (blocks_of_role_parameters_run(&result, NULL, 1, 2, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
