// A loop without a condition ends by break or by return.
// expect: 4 then 3
#include <chorex.h>
#include <stdio.h>

choreography(endless, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        Bob.int count = 0;
        for (;;) {
            Bob.count++;
            if (Alice.(n-- == 0)) {
                break;
            }
        }
        return Bob.count;
    }
    def other(Alice.int n) -> Bob.int {
        for (Bob.int count = 1;; Bob.count++) {
            Alice.n--;
            if (Alice.(n == 0)) {
                return Bob.count;
            }
        }
    }
)

#include "endless.Alice.chor.h"
#include "endless.Bob.chor.h"

int main(void)
{
    struct endless_run_result r;
    struct endless_other_result o;
    if (endless_run(&r, NULL, 3) != CHX_OK || endless_other(&o, NULL, 3) != CHX_OK)
        return 1;
    printf("%d then %d\n", r.Bob, o.Bob);
    return 0;
}
