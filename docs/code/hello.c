#include <chorex.h>
#include <stdio.h>

choreography(hello, (Alice, Bob),
    def run(Alice.int x) -> Bob.int {
        Alice.x ~> Bob.y;                 // Alice sends, Bob receives
        return Bob.(y + 1);
    }
)

#include "hello.Alice.chor.h"             // made by chorcc: Alice's program
#include "hello.Bob.chor.h"               // and Bob's

int main(void)
{
    struct hello_run_result result;
    if (hello_run(&result, NULL, 41) != CHX_OK)
        return 1;
    printf("%d\n", result.Bob);           // 42
    return 0;
}
