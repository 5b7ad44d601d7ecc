// Alice fails in the block; a new Alice and the same Bob run the rescue and go on.
// expect: Bob heard 1; Alice's result is 8
// expect: Bob heard 2; Alice's result is 8
#include <chorex.h>
#include <stdio.h>

choreography(restart, (Alice, Bob),
    int Alice.f(int divisor);

    def run(Alice.int divisor) -> Alice.int, Bob.int {
        Bob.int y = 0;
        checkpoint {
            Alice.f(divisor) ~> Bob.y;
        } rescue {
            Alice.f(1) ~> Bob.y;
        }
        Alice.(2 + 2) ~> Bob.sum;
        Bob.(sum + sum) ~> Alice.result;
        return Alice.result, Bob.y;
    }
)

#include "restart.Alice.chor.h"
#include "restart.Bob.chor.h"

int Alice_f(int divisor)
{
    if (divisor == 0)
        chx_fail("can't divide by zero");
    return divisor;
}

int main(void)
{
    for (int i = 0; i < 3; i += 2) {
        struct restart_run_result result;
        if (restart_run(&result, NULL, i) != CHX_OK)
            return 1;
        printf("Bob heard %d; Alice's result is %d\n", result.Bob, result.Alice);
    }
    return 0;
}
