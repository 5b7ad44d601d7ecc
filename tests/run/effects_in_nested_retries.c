// An attempt that is repeated has the same identifiers as before, also in and after a rescue inside of it. A rescue in the
// next round has others.
//! no-process: counts attempts in a global
// expect: 9 steps, 6 identifiers
// expect: repeated: 0=3 1=4 2=5
#include <chorex.h>
#include <stdio.h>

enum { STEPS_MAX = 16 };

choreography(nested, (Alice, Bob),
    void Alice.act(void);
    void Alice.fail(bool always);
    void Bob.hear(void);

    def run(Alice.int rounds) {
        while (Alice.(rounds > 0)) {
            checkpoint retry 1 {
                Alice.act();
                checkpoint {
                    Alice.fail(true);
                    Bob.hear();
                } rescue {
                    Alice.act();
                    Bob.hear();
                }
                Alice.act();
                Alice.fail(false);
                Bob.hear();
            } rescue {
                Alice.act();
                Bob.hear();
            }
            Alice.rounds -= 1;
        }
    }
)

#include "nested.Alice.chor.h"
#include "nested.Bob.chor.h"

static chx_effect steps[STEPS_MAX];
static int step_count, failures;

static void Alice_act(void)
{
    steps[step_count++] = chx_effect_id();
}

// Of the outer block only the first attempt of the first round fails.
static void Alice_fail(bool always)
{
    if (always || failures++ == 0)
        chx_fail("on purpose");
}

static void Bob_hear(void)
{
}

static bool same(int one, int other)
{
    return steps[one].high == steps[other].high && steps[one].low == steps[other].low;
}

int main(void)
{
    if (nested_run(NULL, 2) != CHX_OK)
        return 1;
    int different = 0;
    for (int i = 0; i < step_count; i++) {
        int earlier = 0;
        while (earlier < i && !same(earlier, i))
            earlier++;
        different += earlier == i;
    }
    printf("%d steps, %d identifiers\n", step_count, different);
    printf("repeated:");
    for (int i = 0; i < 3; i++)
        for (int k = i + 1; k < step_count; k++)
            if (same(i, k))
                printf(" %d=%d", i, k);
    printf("\n");
    return 0;
}
