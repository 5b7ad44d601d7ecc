// A block at each level of a recursion, as deep as main is told, eight levels otherwise.
// large: arguments 10000, prints 4850 10001
// large: arguments 10000 with seed=3,crash_at=Runner:25000, prints 997364 5999
// large: arguments 10000 with seed=4,crash_at=Monitor:45000, prints 395277 9999
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

choreography(nested_recursion, (Runner, Monitor),
    def lap(Runner.int n, Monitor.int limit) -> Runner.int, Monitor.int {
        Runner.int best = 0;
        Monitor.int count = 0;
        checkpoint {
            Runner.n ~> Monitor.lap;
            if (Monitor.(lap < limit)) {
                Runner.best, Monitor.count = lap(Runner.(n + 1), Monitor.limit);
            }
            Monitor.count++;
        } rescue {
            Runner.best = 100 * n;
            Monitor.count = 1000;
        }
        return Runner.((best + n) % 1000003), Monitor.count;
    }
    def run(Monitor.int limit) -> Runner.int, Monitor.int {
        return lap(Runner.(0), Monitor.limit);
    }
)

#include "nested_recursion.Runner.chor.h"
#include "nested_recursion.Monitor.chor.h"

int main(int argument_count, char **arguments)
{
    int rounds = argument_count > 1 ? atoi(arguments[1]) : 8;
    struct nested_recursion_run_result result;
    if (nested_recursion_run(&result, NULL, rounds) != CHX_OK)
        return puts("failed") < 0;
    printf("%d %d\n", result.Runner, result.Monitor);
    return 0;
}
