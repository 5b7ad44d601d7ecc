// `~` and `>` may be written apart, as formatters do, and `~` in local C stays an operator.
// expect: -6 3
#include <chorex.h>
#include <stdio.h>

choreography(apart, (Alice, Bob),
    def run(Alice.int x) -> Bob.{int, bool} {
        Alice.(~x) ~ > Bob.y;
        Alice.x ~
            > Bob.int z;
        Alice.(~x > 3) ~ /* between */ > Bob.big;
        return Bob.{y, !big && z - 2 == 3};
    }
)

#include "apart.Alice.chor.h"
#include "apart.Bob.chor.h"

int main(void)
{
    struct apart_run_result r;
    if (apart_run(&r, NULL, 5) != CHX_OK)
        return 1;
    printf("%d %d\n", r.Bob.v0, r.Bob.v1 ? 3 : 0);
    return 0;
}
