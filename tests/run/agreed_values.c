// A delivery to several roles makes them agree; choices and steps at the set cost nothing and are done by each.
// expect: 3 3 6
#include <chorex.h>
#include <stdio.h>

choreography(agreed, (Alice, Bob, Carol),
    def run(Alice.int n) -> {Alice, Bob}.int, Carol.int {
        Alice.n ~> {Alice, Bob}.left;
        {Alice, Bob}.int rounds = 0;
        Carol.int heard = 0;
        while ({Alice, Bob}.(left > 0)) {
            Bob.left ~> Carol.h;
            Carol.heard += h;
            {Alice, Bob}.left = left - 1;
            {Alice, Bob}.rounds++;
        }
        return {Alice, Bob}.rounds, Carol.heard;
    }
)

#include "agreed.Alice.chor.h"
#include "agreed.Bob.chor.h"
#include "agreed.Carol.chor.h"

int main(void)
{
    struct agreed_run_result r;
    if (agreed_run(&r, NULL, 3) != CHX_OK)
        return 1;
    printf("%d %d %d\n", r.Alice, r.Bob, r.Carol);
    return 0;
}
