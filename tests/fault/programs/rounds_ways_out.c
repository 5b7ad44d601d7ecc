// Rounds that end with continue, break and return, in the body, in the rescue, and out of blocks and loops inside of them.
#include <chorex.h>
#include <stdio.h>

choreography(rounds_ways_out, (A, B, C),
    def count(A.int limit) -> A.int, C.int {
        A.int n = 0;
        C.int c = 0;
        checkpoint for (;;) {
            A.n++;
            A.n ~> {B, C}.m;
            if ({B, C}.(m % 3 == 0)) {
                C.c += m;
                C.c ~> A._;
                continue;
            }
            checkpoint {
                B.(m * 2) ~> A._;
                if (A.(n > limit)) {
                    break;
                }
            } rescue {
                B.m ~> C.lost;
                C.c += lost;
                continue;
            }
        } rescue (fault) {
            A.n += 2;
            if (A.(n > limit + 1)) {
                return A.(-n), C.(-c);
            }
        }
        return A.n, C.c;
    }
    def run(A.int limit) -> A.int, B.int, C.int {
        {A, B}.int b = 0;
        A.int total = 0;
        C.int sum = 0;
        checkpoint retry 1 while ({A, B}.(b < 2)) {
            A.a, C.c = count(A.limit);
            A.total = total * 3 + a;
            C.sum += c;
            {A, B}.b++;
        } rescue {
            {A, B}.b += 2;
        }
        return A.total, B.b, C.sum;
    }
)

#include "rounds_ways_out.A.chor.h"
#include "rounds_ways_out.B.chor.h"
#include "rounds_ways_out.C.chor.h"

int main(void)
{
    struct rounds_ways_out_run_result result;
    if (rounds_ways_out_run(&result, NULL, 4) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d %d\n", result.A, result.B, result.C);
    return 0;
}
