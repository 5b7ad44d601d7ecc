// Complex numbers travel.
// expect: 1+2i
#include <chorex.h>
#include <complex.h>
#include <stdio.h>

choreography(complexes, (Alice, Bob),
    def run(Alice.double _Complex z) -> Bob.{double, double} {
        Alice.z ~> Bob.w;
        return Bob.{creal(w), cimag(w)};
    }
)

#include "complexes.Alice.chor.h"
#include "complexes.Bob.chor.h"

int main(void)
{
    struct complexes_run_result r;
    if (complexes_run(&r, NULL, 1 + 2 * I) != CHX_OK)
        return 1;
    printf("%g+%gi\n", r.Bob.v0, r.Bob.v1);
    return 0;
}
