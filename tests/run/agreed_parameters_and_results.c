// Parameters and results can be located at role sets.
// expect: 8 8 24
#include <chorex.h>
#include <stdio.h>

choreography(setpar, (Alice, Bob, Carol),
    def run(Alice.int n) -> {Alice, Bob}.int, Carol.int {
        Alice.n ~> {Alice, Bob}.m;
        {Alice, Bob}.k = twice({Alice, Bob}.(m + 1));
        if ({Alice, Bob}.(k == 8)) {
            Bob.(k * 3) ~> Carol.c;
            return {Alice, Bob}.k, Carol.c;
        }
        return {Alice, Bob}.(0), Carol.(0);
    }
    def twice({Alice, Bob}.int x) -> {Alice, Bob}.int {
        return {Alice, Bob}.(x * 2);
    }
)

#include "setpar.Alice.chor.h"
#include "setpar.Bob.chor.h"
#include "setpar.Carol.chor.h"

int main(void)
{
    struct setpar_run_result r;
    if (setpar_run(&r, NULL, 3) != CHX_OK)
        return 1;
    printf("%d %d %d\n", r.Alice, r.Bob, r.Carol);
    return 0;
}
