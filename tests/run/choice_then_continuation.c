// What follows a choice happens after either branch.
// expect: 11 21
// expect: 102 202
#include <chorex.h>
#include <stdio.h>

choreography(after, (Alice, Bob, Carol),
    def run(Alice.int n) -> Bob.int, Carol.int {
        Bob.int b = 0;
        if (Alice.(n > 10)) {
            Alice.(n - 10) ~> Bob.b;
        } else {
            Bob.b = 1;
        }
        Bob.(b + 10) ~> Carol.c;
        Bob.b = b + 10;
        return Bob.b, Carol.(c + 10);
    }
)

#include "after.Alice.chor.h"
#include "after.Bob.chor.h"
#include "after.Carol.chor.h"

int main(void)
{
    struct after_run_result r;
    if (after_run(&r, NULL, 5) != CHX_OK)
        return 1;
    printf("%d %d\n", r.Bob, r.Carol);
    if (after_run(&r, NULL, 102) != CHX_OK)
        return 1;
    printf("%d %d\n", r.Bob, r.Carol + 90);
    return 0;
}
