// A role fails in the block by itself; the rescue tells another value.
#include <chorex.h>
#include <stdio.h>

choreography(rescue_with_messages, (Alice, Bob),
    int Alice.work(int x);

    def run(Alice.int x) -> Alice.int, Bob.int {
        Bob.int got = 0;
        checkpoint {
            Alice.work(x) ~> Bob.got;
        } rescue {
            Alice.(x + 1) ~> Bob.got;
            Bob.(got + 1) ~> Alice.x;
        }
        return Alice.x, Bob.got;
    }
)

#include "rescue_with_messages.Alice.chor.h"
#include "rescue_with_messages.Bob.chor.h"

int Alice_work(int x)
{
    chx_fail("no work for %d", x);
}

int main(void)
{
    struct rescue_with_messages_run_result result;
    if (rescue_with_messages_run(&result, NULL, 1) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.Alice, result.Bob);
    return 0;
}
