// Something is left to do after a call returns, at every depth.
// expect: 120
#include <chorex.h>
#include <stdio.h>

choreography(factorial, (Alice, Bob),
    def run(Alice.int n) -> Bob.long {
        if (Alice.(n <= 1)) {
            return Bob.(1L);
        }
        Bob.long rest = run(Alice.(n - 1));
        Alice.n ~> Bob.n;
        return Bob.(rest * n);
    }
)

#include "factorial.Alice.chor.h"
#include "factorial.Bob.chor.h"

int main(void)
{
    struct factorial_run_result r;
    if (factorial_run(&r, NULL, 5) != CHX_OK)
        return 1;
    printf("%ld\n", r.Bob);
    return 0;
}
