// Two deliveries on one line, between the same roles, are two: in order, each with its own value.
// expect: 1 2 3, 321
#include <chorex.h>
#include <stdio.h>

choreography(oneline, (Alice, Bob),
    def run(Alice.int n) -> Bob.{int, int, int}, Alice.int {
        Alice.n ~> Bob.x; Alice.(n + 1) ~> Bob.y; Alice.(n + 2) ~> Bob.z;
        Alice.int sum = 0;
        Bob.z ~> Alice.a; Bob.y ~> Alice.b; Bob.x ~> Alice.c; Alice.sum = a * 100 + b * 10 + c;
        return Bob.{x, y, z}, Alice.sum;
    }
)

#include "oneline.Alice.chor.h"
#include "oneline.Bob.chor.h"

int main(void)
{
    struct oneline_run_result result;
    if (oneline_run(&result, NULL, 1) != CHX_OK)
        return 1;
    printf("%d %d %d, %d\n", result.Bob.v0, result.Bob.v1, result.Bob.v2, result.Alice);
    return 0;
}
