// One message to Bob in each round: that of the loop.
#include <chorex.h>
#include <stdio.h>

choreography(same_branches, (Alice, Bob),
    int Bob.measure(void);
    def run(Alice.int n) -> Alice.int {
        Alice.int even = 0;
        Alice.int odd = 0;
        //[rounds]
        while (Alice.(n > 0)) {                // Bob must know whether there is another round
            if (Alice.(n % 2)) {               // but not this: Bob does the same in both branches
                Bob.measure() ~> Alice.odd;
            } else {
                Bob.measure() ~> Alice.even;
            }
            Alice.n--;
        }
        //[/rounds]
        return Alice.(odd + even);
    }
)

#include "same_branches.Alice.chor.h"
#include "same_branches.Bob.chor.h"

int Bob_measure(void)
{
    return 6;
}

int main(void)
{
    struct same_branches_run_result result;
    if (same_branches_run(&result, NULL, 4) != CHX_OK)
        return 1;
    printf("%d\n", result.Alice);
    return 0;
}
