// A delivery into a name in scope assigns it.
// expect: 1 2 3
#include <chorex.h>
#include <stdio.h>

choreography(rebind, (Alice, Bob),
    def run() -> Bob.{int, int, int} {
        Alice.(1) ~> Bob.x;
        Bob.int first = x;
        Alice.(2) ~> Bob.x;
        Bob.int second = x;
        Bob.x ~> Alice.y;
        Alice.(y + 1) ~> Bob.x;
        return Bob.{first, second, x};
    }
)

#include "rebind.Alice.chor.h"
#include "rebind.Bob.chor.h"

int main(void)
{
    struct rebind_run_result r;
    if (rebind_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d %d\n", r.Bob.v0, r.Bob.v1, r.Bob.v2);
    return 0;
}
