// What comes after the block uses variables of before it and of the rescue.
#include <chorex.h>
#include <stdio.h>

choreography(rescue_with_a_continuation, (Alice, Bob),
    int Alice.work(int x);

    def run(Alice.int x) -> Alice.int, Bob.int {
        Alice.(x * 2) ~> Bob.kept;
        Bob.int got = 5;
        checkpoint {
            Bob.got = 6;
            Alice.work(x) ~> Bob.got;
        } rescue {
            Bob.got = got + 1;
        }
        Alice.(2 + 2) ~> Bob.sum;
        Bob.(sum + kept + got) ~> Alice.result;
        return Alice.result, Bob.got;
    }
)

#include "rescue_with_a_continuation.Alice.chor.h"
#include "rescue_with_a_continuation.Bob.chor.h"

int Alice_work(int x)
{
    chx_fail("no work for %d", x);
}

int main(void)
{
    struct rescue_with_a_continuation_run_result result;
    if (rescue_with_a_continuation_run(&result, NULL, 4) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.Alice, result.Bob);
    return 0;
}
