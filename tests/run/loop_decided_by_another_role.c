// The role that decides a loop may change nothing in it: the others are told.
// expect: 5 5
#include <chorex.h>
#include <stdio.h>

choreography(decider, (Judge, Alice, Bob),
    bool Judge.go_on(void);
    def run() -> Alice.int, Bob.int {
        Alice.int a = 0;
        Bob.int b = 0;
        for (; Judge.go_on(); Alice.a++) {
            Alice.(1) ~> Bob.one;
            Bob.b += one;
        }
        return Alice.a, Bob.b;
    }
)

#include "decider.Judge.chor.h"
#include "decider.Alice.chor.h"
#include "decider.Bob.chor.h"

static int left = 5;
bool Judge_go_on(void) { return left-- > 0; }

int main(void)
{
    struct decider_run_result r;
    if (decider_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d\n", r.Alice, r.Bob);
    return 0;
}
