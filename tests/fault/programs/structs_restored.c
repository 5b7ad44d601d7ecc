// Structs and arrays, changed in parts, are whole again in the rescue.
#include <chorex.h>
#include <stdio.h>

struct point {
    int x;
    double y;
    int tail[3];
};

choreography(structs_restored, (A, B),
    def run(A.int x) -> A.long, B.long {
        A.struct point p = {1, 2.5, {3, 4, 5}};
        B.int a[4] = {1, 2, 3, 4};
        A.int i = 0;
        while (A.(i < 2)) {
            checkpoint {
                A.p.x += x;
                A.p.tail[1] = i + 40;
                A.p ~> B.q;
                B.a[2] += q.tail[1];
                B.a[0] = 0;
                B.q.x = 7;
                B.q ~> A.p;
            } rescue {
                B.(a[0] + a[2]) ~> A.got;
                A.p.tail[2] += got;
            }
            A.i++;
        }
        return A.(p.x + 10L * p.tail[0] + 100L * p.tail[1] + 100000L * p.tail[2] + (long)(2 * p.y)),
               B.(a[0] + 10L * a[1] + 1000L * a[2] + a[3]);
    }
)

#include "structs_restored.A.chor.h"
#include "structs_restored.B.chor.h"

int main(void)
{
    struct structs_restored_run_result result;
    if (structs_restored_run(&result, NULL, 7) != CHX_OK)
        return puts("failed") < 0;
    printf("%ld %ld\n", result.A, result.B);
    return 0;
}
