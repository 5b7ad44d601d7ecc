// A function that calls itself twice, the second time in tail position, and has no other end: the failure of a role ends it.

// expect: 5 rounds

#include <chorex.h>
#include <stdio.h>

choreography(endless, (Alice, Bob),
    void Alice.count(int round);

    def run(Alice.int round) -> Alice.int {
        checkpoint {
            deeper(Alice.round);
        } rescue {
            return Alice.(5);
        }
        return Alice.(0);
    }

    def deeper(Alice.int round) {
        Alice.count(round);
        Alice.round ~> Bob.int seen;
        Bob.(seen + 1) ~> Alice.round;
        deeper(Alice.round);
        deeper(Alice.round);
    }
)

#include "endless.Alice.chor.h"
#include "endless.Bob.chor.h"

static void Alice_count(int round)
{
    if (round == 5)
        chx_fail("enough");
}

int main(void)
{
    struct endless_run_result result;
    if (endless_run(&result, NULL, 0) != CHX_OK)
        return 1;
    printf("%d rounds\n", result.Alice);
    return 0;
}
