#include <chorex.h>
#include <stdio.h>

choreography(hello, (Alice, Bob),
    def run(Alice.int x) -> Bob.int {
        Alice.x ~> Bob.y;
        return Bob.(y + 1);
    }
)

#include "hello.Alice.chor.h"
#include "hello.Bob.chor.h"

int main(void)
{
    struct hello_run_result result;
    if (hello_run(&result, NULL, 41) != CHX_OK)
        return 1;
    printf("%d\n", result.Bob);
    return 0;
}
