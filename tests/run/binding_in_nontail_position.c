// A local binding between deliveries is seen by what follows it.
// expect: 42
#include <chorex.h>
#include <stdio.h>

choreography(nontail, (Alice, Bob),
    def run(Alice.int x) -> Bob.int {
        Alice.doubled = x * 2;
        Alice.doubled ~> Bob.d;
        Bob.more = d + 2;
        Bob.more ~> Alice.back;
        Alice.int half = back / 2;
        Alice.half ~> Bob.h;
        return Bob.(h + d - 1);
    }
)

#include "nontail.Alice.chor.h"
#include "nontail.Bob.chor.h"

int main(void)
{
    struct nontail_run_result r;
    if (nontail_run(&r, NULL, 14) != CHX_OK)
        return 1;
    printf("%d\n", r.Bob);
    return 0;
}
