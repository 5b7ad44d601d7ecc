// A hundred blocks in a loop, if nobody says another number; nothing fails by itself.
// matrix arguments: 4
// large: arguments 100000, prints 100000 935003
// large: arguments 20000 with seed=5, prints 20000 989403
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

choreography(many_checkpoints, (Alice, Bob),
    def run(Alice.int rounds) -> Alice.int, Bob.int {
        Bob.int sum = 0;
        Alice.int i = 0;
        while (Alice.(i < rounds)) {
            checkpoint {
                Alice.i ~> Bob.n;
                Bob.sum = (sum + n) % 1000003;
                Alice.i++;
            } rescue {
                Bob.sum += 1000;
                Alice.i++;
            }
        }
        return Alice.i, Bob.sum;
    }
)

#include "many_checkpoints.Alice.chor.h"
#include "many_checkpoints.Bob.chor.h"

int main(int argument_count, char **arguments)
{
    int rounds = argument_count > 1 ? atoi(arguments[1]) : 100;
    struct many_checkpoints_run_result result;
    if (many_checkpoints_run(&result, NULL, rounds) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.Alice, result.Bob);
    return 0;
}
