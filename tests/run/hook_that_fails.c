// A failure in a hook is reported at the line of the hook's prototype, like one in a step at the step's line.
//! no-process: the roles look at a variable of the program
// expect: Alice: init 0, line 14
// expect: Bob: fini, line 15
// expect: Alice: step, line 17
#include <chorex.h>
#include <stdio.h>

static int way;

choreography(hooks, (Alice, Bob),

    // Failures of hooks name these lines.
    void Alice.init(void);
    void Bob.fini(void);
    def run(Alice.int n) {
        Alice.step(n);
        Alice.n ~> Bob._;
    }
)

#include "hooks.Alice.chor.h"
#include "hooks.Bob.chor.h"

void Alice_init(void)
{
    if (way == 0)
        chx_fail("init %d", way);
}

void Alice_step(int n)
{
    if (n == 2)
        chx_fail("step");
}

void Bob_fini(void)
{
    if (way == 1)
        chx_fail("fini");
}

int main(void)
{
    for (way = 0; way < 3; way++) {
        if (hooks_run(NULL, way) == CHX_OK)
            return 1;
        printf("%s: %s, line %d\n", chx_last_report()->role, chx_last_report()->why, chx_last_report()->line);
    }
    return 0;
}
