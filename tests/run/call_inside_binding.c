// The results of a choreographic call are bound at their roles.
// expect: 25 10
#include <chorex.h>
#include <stdio.h>

choreography(calls, (Alice, Bob),
    def run(Alice.int n) -> Alice.int, Bob.int {
        Alice.squared = square(Alice.n);
        Alice.a, Bob.b = both(Alice.n);
        return Alice.(squared + a), Bob.b;
    }
    def square(Alice.int n) -> Alice.int {
        Alice.n ~> Bob.m;
        Bob.(m * m) ~> Alice.r;
        return Alice.r;
    }
    def both(Alice.int n) -> Alice.int, Bob.int {
        Alice.(n * 2) ~> Bob.m;
        return Alice.(n - 5), Bob.m;
    }
)

#include "calls.Alice.chor.h"
#include "calls.Bob.chor.h"

int main(void)
{
    struct calls_run_result r;
    if (calls_run(&r, NULL, 5) != CHX_OK)
        return 1;
    printf("%d %d\n", r.Alice, r.Bob);
    return 0;
}
