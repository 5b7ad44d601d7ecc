// Alice fails in each of a hundred rounds, if nobody says another number; variables go back to the round's beginning.
// matrix arguments: 4
// large: arguments 100000, prints 100000 35000
// large: arguments 100000 with seed=5, prints 100000 35000
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

choreography(many_crashes, (Alice, Bob),
    int Alice.fail(int round);

    def run(Alice.int rounds) -> Alice.int, Bob.int {
        Bob.int sum = 0;
        Alice.int i = 0;
        while (Alice.(i < rounds)) {
            checkpoint {
                Bob.sum += 1000000;
                Alice.i ~> Bob.n;
                Bob.sum += n;
                Alice.i = fail(i);
            } rescue {
                Alice.i++;
                Alice.i ~> Bob.n;
                Bob.sum = (sum + n) % 1000003;
            }
        }
        return Alice.i, Bob.sum;
    }
)

#include "many_crashes.Alice.chor.h"
#include "many_crashes.Bob.chor.h"

int Alice_fail(int round)
{
    chx_fail("in round %d", round);
}

int main(int argument_count, char **arguments)
{
    int rounds = argument_count > 1 ? atoi(arguments[1]) : 100;
    struct many_crashes_run_result result;
    if (many_crashes_run(&result, NULL, rounds) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.Alice, result.Bob);
    return 0;
}
