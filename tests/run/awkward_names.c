// Variables may bear names that emitted code could want for itself, or that mean something elsewhere.
// expect: 1 2 3 4 5 6 7 8 9
#include <chorex.h>
#include <stdio.h>

choreography(awkward, (Alice, Bob),
    def run(Alice.int self, Bob.int frame) -> Bob.{int, int, int, int, int, int, int, int, int} {
        Alice.self ~> Bob.self;
        Alice.int at = 3;
        Alice.at ~> Bob.at;
        Alice.int result = 4;
        Alice.result ~> Bob.result;
        Bob.int variables = 5;
        Bob.int outcome = 6;
        Bob.int value = 7;
        Bob.int message = 8;
        Bob.int out = 9;
        return Bob.{self, frame, at, result, variables, outcome, value, message, out};
    }
)

#include "awkward.Alice.chor.h"
#include "awkward.Bob.chor.h"

int main(void)
{
    struct awkward_run_result r;
    if (awkward_run(&r, NULL, 1, 2) != CHX_OK)
        return 1;
    printf("%d %d %d %d %d %d %d %d %d\n", r.Bob.v0, r.Bob.v1, r.Bob.v2, r.Bob.v3, r.Bob.v4, r.Bob.v5, r.Bob.v6,
           r.Bob.v7, r.Bob.v8);
    return 0;
}
