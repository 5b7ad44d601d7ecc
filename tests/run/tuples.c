// A tuple is one message of several values; elements may be bound, typed, dropped, matched, or be parts.
// expect: 1 2.0 x 30 7
#include <chorex.h>
#include <stdio.h>

choreography(tuples, (Alice, Bob),
    def run(Alice.int x) -> Bob.{int, double, char, int, int} {
        Bob.int a[2] = {0, 0};
        Alice.{x, x + 1, 'x', "dropped", 9} ~> Bob.{one, double two, char c, _, (9)};
        Alice.{10, 20} ~> Bob.{a[0], a[1]};
        Alice.{7} ~> Bob.{single};
        return Bob.{one, two, c, a[0] + a[1], single};
    }
)

#include "tuples.Alice.chor.h"
#include "tuples.Bob.chor.h"

int main(void)
{
    struct tuples_run_result r;
    if (tuples_run(&r, NULL, 1) != CHX_OK)
        return 1;
    printf("%d %.1f %c %d %d\n", r.Bob.v0, r.Bob.v1, r.Bob.v2, r.Bob.v3, r.Bob.v4);
    return 0;
}
