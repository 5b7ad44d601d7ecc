// A step of another round has another identifier, one that is tried again has the same, wherever the round is tried.
// expect: 8 steps, 6 identifiers, 2 of them twice
//! no-process
#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(effects, (Alice, Bob),
    void Bob.act(int round);
    def run(Alice.int rounds) -> Alice.int {
        Alice.int i = 0;
        checkpoint retry 2 while (Alice.(i < rounds)) {
            Alice.i ~> Bob.n;
            Bob.act(n);
            Alice.i++;
        } rescue {
            Alice.i++;
        }
        return Alice.i;
    }
)

#include "effects.Alice.chor.h"
#include "effects.Bob.chor.h"

static chx_effect seen[100];
static int count;

void Bob_act(int round)
{
    seen[count++] = chx_effect_id();
    int times = 0;
    for (int i = 0; i < count; i++)
        times += seen[i].high == seen[count - 1].high && seen[i].low == seen[count - 1].low;
    if (round % 3 == 1 && times == 1)
        chx_fail("once");
}

int main(void)
{
    int result, different = 0, twice = 0;
    struct effects_run_result run;
    if (effects_run(&run, NULL, 6) != CHX_OK)
        return 1;
    result = run.Alice;
    for (int i = 0; i < count; i++) {
        int times = 0, before = 0;
        for (int j = 0; j < count; j++) {
            bool same = memcmp(&seen[i], &seen[j], sizeof seen[i]) == 0;
            times += same;
            before += same && j < i;
        }
        different += before == 0;
        twice += before == 0 && times == 2;
    }
    printf("%d steps, %d identifiers, %d of them twice\n", count + result - 6, different, twice);
    return 0;
}
