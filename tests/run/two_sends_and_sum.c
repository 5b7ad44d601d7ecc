// Two roles send a number each to a third, which adds them.
// expect: 7
#include <chorex.h>
#include <stdio.h>

choreography(sum, (Alice, Bob, Carol),
    int Alice.one(void);
    int Bob.two(void);
    def run() -> Carol.int {
        Alice.one() ~> Carol.a;
        Bob.two() ~> Carol.b;
        return Carol.(a + b);
    }
)

#include "sum.Alice.chor.h"
#include "sum.Bob.chor.h"
#include "sum.Carol.chor.h"

int Alice_one(void) { return 3; }
int Bob_two(void) { return 4; }

int main(void)
{
    struct sum_run_result r;
    if (sum_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d\n", r.Carol);
    return 0;
}
