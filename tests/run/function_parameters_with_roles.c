// A function parameter can have role parameters of its own: who it is about is said where it is called.
// expect: 8 and 12
// expect: 106
// expect: 60
#include <chorex.h>
#include <stdio.h>

choreography(pass, (A, B, C, Worker[]),
    def there_and_back[X, Y](f[From, To](From.int) -> To.int, X.int x) -> X.int {
        Y.int y = f[X, Y](X.x);
        X.int z = f[Y, X](Y.y);
        return X.z;
    }
    def send[From, To](From.int x) -> To.int {
        From.x ~> To.y;
        return To.(y + 1);
    }
    def send_twice[From, To](From.int x) -> To.int {
        From.(x + 1) ~> To.y;
        To.(y + 1) ~> From.z;
        From.z ~> To.y;
        return To.(y + 1);
    }
    // Passed on.
    def outer[X, Y](f[P, Q](P.int) -> Q.int, X.int x) -> X.int {
        return there_and_back[X, Y](f, X.x);
    }
    def run(A.int x, C.int x) -> A.int, C.int {
        A.int y = there_and_back[A, B](send, A.x);
        C.int z = outer[C, A](send_twice, C.x);
        return A.y, C.z;
    }

    def each[W[], Boss](f[One, Other](One.int) -> Other.int, Boss.int x) -> Boss.int {
        for (w : W) {
            w.y = f[Boss, w](Boss.x);
            Boss.x = f[w, Boss](w.y);
        }
        return Boss.x;
    }
    def around(A.int x) -> A.int {
        return each[Worker, A](send, A.x);
    }

    def apply[Boss](f[V[], To](V[*].int) -> To.int, Worker[*].int x) -> Boss.int {
        return f[Worker, Boss](Worker[*].x);
    }
    def sum[V[], To](V[*].int x) -> To.int {
        To.int sum = 0;
        for (v : V) {
            v.x ~> To.y;
            To.sum += y;
        }
        return To.sum;
    }
    def total(Worker[*].int x) -> C.int {
        return apply[C](sum, Worker[*].x);
    }
)

#include "pass.A.chor.h"
#include "pass.B.chor.h"
#include "pass.C.chor.h"
#include "pass.Worker.chor.h"

int main(void)
{
    struct pass_cast cast = {.Worker = {.count = 3}};
    struct pass_run_result run;
    struct pass_around_result around;
    struct pass_total_result total;
    static const int x[] = {10, 20, 30};
    if (pass_run(&run, &cast, 6, 6) != CHX_OK || pass_around(&around, &cast, 100) != CHX_OK ||
        pass_total(&total, &cast, x) != CHX_OK)
        return 1;
    printf("%d and %d\n%d\n%d\n", run.A, run.C, around.A, total.C);
    return 0;
}
