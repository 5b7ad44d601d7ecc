// In a choreography with a family, rounds of roles that come before it are tried again in new processes, too.
// expect: 4 5

#include <chorex.h>
#include <stdio.h>

choreography(beside, (Ann, Ben, Worker[]),
    void Ann.must(bool holds);

    def run() -> Ann.int, Ben.int, Worker[*].int {
        Ann.int y = 3;
        Ann.int i = 0;
        Ben.int x = 4;
        Ben.int k = 0;
        Worker[*].int z = 1;
        checkpoint retry 1 while (Ann.(i < 2)) {
            Ann.i = i + 1;
            Ann.i ~> Ben.k;
            Ann.must(y % 3 != 0);
        } rescue {
            Ann.i = i + 1;
            Ben.x ~> Ann.y;
            Ben.k = 1;
        }
        return Ann.y, Ben.(k - 1 + x), Worker[*].z;
    }
)

#include "beside.Ann.chor.h"
#include "beside.Ben.chor.h"
#include "beside.Worker.chor.h"

void Ann_must(bool holds)
{
    if (!holds)
        chx_fail("as planned");
}

int main(void)
{
    struct beside_cast cast = {.Worker = {.count = 2}};
    struct beside_run_result result;
    if (beside_run(&result, &cast) != CHX_OK)
        return 1;
    printf("%d %d\n", result.Ann, result.Ben);
    beside_run_result_drop(&result);
    return 0;
}
