#include <chorex.h>
#include <stdio.h>

choreography(agreement, (Alice, Bob, Carol),
    def run(Alice.int rounds, {Bob, Carol}.int step) -> Carol.int {
        Carol.int sum = 0;
        //[agreement]
        Alice.rounds ~> {Alice, Bob}.left;         // Alice keeps it too: Alice and Bob agree
        while ({Alice, Bob}.(left > 0)) {          // no message between them; Alice tells Carol
            Bob.(left * step) ~> Carol.n;
            Carol.sum += n;
            {Alice, Bob}.left = left - 1;          // computed at both
        }
        //[/agreement]
        return Carol.(sum + step);
    }
)

#include "agreement.Alice.chor.h"
#include "agreement.Bob.chor.h"
#include "agreement.Carol.chor.h"

int main(void)
{
    struct agreement_run_result result;
    if (agreement_run(&result, NULL, 4, 10) != CHX_OK)
        return 1;
    printf("%d\n", result.Carol);
    return 0;
}
