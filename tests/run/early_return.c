// A return in a branch ends the function for everybody who has something left to do.
// expect: early 1, late 12
#include <chorex.h>
#include <stdio.h>

choreography(early, (Alice, Bob, Carol),
    def run(Alice.bool stop) -> Carol.int {
        Bob.int n = 2;
        if (Alice.stop) {
            return Carol.(1);
        }
        Alice.(10) ~> Bob.m;
        Bob.(n + m) ~> Carol.c;
        return Carol.c;
    }
)

#include "early.Alice.chor.h"
#include "early.Bob.chor.h"
#include "early.Carol.chor.h"

int main(void)
{
    struct early_run_result a, b;
    if (early_run(&a, NULL, true) != CHX_OK || early_run(&b, NULL, false) != CHX_OK)
        return 1;
    printf("early %d, late %d\n", a.Carol, b.Carol);
    return 0;
}
