// One role may change its copy of an agreed value; agreement comes back with the next delivery to the set.
// expect: 3 5 5
#include <chorex.h>
#include <stdio.h>

choreography(subset, (Alice, Bob),
    def run(Alice.int n) -> Bob.int, Alice.{int, int} {
        Alice.n ~> {Alice, Bob}.x;
        Alice.x = x + 2;
        Bob.int before = x;
        Alice.x ~> {Alice, Bob}.x;
        int_at_both({Alice, Bob}.x);
        if ({Alice, Bob}.(x > 4)) {
            Bob.x ~> Alice.y;
            return Bob.before, Alice.{x, y};
        }
        return Bob.(0), Alice.{0, 0};
    }
    def int_at_both({Alice, Bob}.int v) {
        while ({Alice, Bob}.(v > 0)) {
            {Alice, Bob}.v -= 1;
        }
    }
)

#include "subset.Alice.chor.h"
#include "subset.Bob.chor.h"

int main(void)
{
    struct subset_run_result r;
    if (subset_run(&r, NULL, 3) != CHX_OK)
        return 1;
    printf("%d %d %d\n", r.Bob, r.Alice.v0, r.Alice.v1);
    return 0;
}
