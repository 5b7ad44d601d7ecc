// 100,000 calls that are not in tail position.
//! no-central
// expect: 5000050000
#include <chorex.h>
#include <stdio.h>

choreography(deep, (Alice, Bob),
    def run(Alice.long n) -> Bob.long {
        if (Alice.(n == 0)) {
            return Bob.(0);
        }
        Alice.n ~> Bob.m;
        Bob.long rest = run(Alice.(n - 1));
        return Bob.(rest + m);
    }
)

#include "deep.Alice.chor.h"
#include "deep.Bob.chor.h"

int main(void)
{
    struct deep_run_result r;
    if (deep_run(&r, NULL, 100000) != CHX_OK)
        return 1;
    printf("%ld\n", r.Bob);
    return 0;
}
