// The body returns values from inside of two blocks; the rescue of the outer one goes on.
#include <chorex.h>
#include <stdio.h>

choreography(body_returns, (A, B),
    def inner(A.int x, B.int y) -> A.int, B.int {
        checkpoint {
            A.(x + 1) ~> B.y;
            checkpoint {
                B.(y + 1) ~> A.x;
                if (A.(x > 5)) {
                    return A.(x + 10000), B.(y + 20000);
                }
                A.x ~> B.y;
            } rescue {
                B.y += 7;
                A.x += 8;
            }
            A.x += 1;
        } rescue {
            B.(y + 50) ~> A.x;
        }
        A.(x + 1) ~> B.y;
        return A.x, B.y;
    }
    def run(A.int x) -> A.int, B.int {
        A.int a = 0;
        B.int b = 0;
        A.a, B.b = inner(A.x, B.(1));
        A.a, B.b = inner(A.(a + 1), B.b);
        return A.(a + x), B.b;
    }
)

#include "body_returns.A.chor.h"
#include "body_returns.B.chor.h"

int main(void)
{
    struct body_returns_run_result result;
    if (body_returns_run(&result, NULL, 3) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.A, result.B);
    return 0;
}
