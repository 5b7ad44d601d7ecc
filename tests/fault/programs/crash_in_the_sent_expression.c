// The expression that is being sent fails, in the middle of the block.
#include <chorex.h>
#include <stdio.h>

choreography(crash_in_the_sent_expression, (Alice, Bob),
    int Alice.divide(int a, int b);

    def run(Alice.int zero) -> Alice.int, Bob.int {
        Bob.int y = 0;
        checkpoint {
            Alice.divide(8, 4) ~> Bob.y;
            Alice.divide(1, zero) ~> Bob.y;
            Bob.(y + 1) ~> Alice.zero;
        } rescue {
            Alice.divide(9, 3) ~> Bob.z;
            Bob.y = y + z;
        }
        Bob.y ~> Alice.back;
        return Alice.(back * 10 + zero), Bob.y;
    }
)

#include "crash_in_the_sent_expression.Alice.chor.h"
#include "crash_in_the_sent_expression.Bob.chor.h"

int Alice_divide(int a, int b)
{
    if (b == 0)
        chx_fail("division by zero");
    return a / b;
}

int main(void)
{
    struct crash_in_the_sent_expression_run_result result;
    if (crash_in_the_sent_expression_run(&result, NULL, 0) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.Alice, result.Bob);
    return 0;
}
