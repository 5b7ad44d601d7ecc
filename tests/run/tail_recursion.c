// 1,000,000 calls in tail position take no stack.
//! seeds: 100
//! no-central
// expect: 500000500000 1000000
#include <chorex.h>
#include <stdio.h>

choreography(tail, (Alice, Bob),
    def run(Alice.long n, Bob.long sum, Bob.long calls) -> Bob.{long, long} {
        if (Alice.(n == 0)) {
            return Bob.{sum, calls};
        }
        Alice.n ~> Bob.m;
        return run(Alice.(n - 1), Bob.(sum + m), Bob.(calls + 1));
    }
)

#include "tail.Alice.chor.h"
#include "tail.Bob.chor.h"

int main(void)
{
    struct tail_run_result r;
    if (tail_run(&r, NULL, 1000000, 0, 0) != CHX_OK)
        return 1;
    printf("%ld %ld\n", r.Bob.v0, r.Bob.v1);
    return 0;
}
