// The identifier of an effect in a rescue is another one each time, also if a new instance of the role is there each time.
//! no-central
// expect: 4 identifiers, all different
#include <chorex.h>
#include <stdio.h>

typedef struct {
    chx_effect at[4];
} effects;

choreography(rescues, (Alice, Bob),
    void Alice.fail(void);
    chx_effect Alice.act(void);
    def run() -> Alice.effects {
        Alice.effects e = {0};
        for (Alice.int i = 0; Alice.(i < 4); Alice.i++) {
            checkpoint {
                Bob.(1) ~> Alice._;
                Alice.fail();
            } rescue {
                Alice.e.at[i] = act();
            }
        }
        return Alice.e;
    }
)

#include "rescues.Alice.chor.h"
#include "rescues.Bob.chor.h"

void Alice_fail(void) { chx_fail("again"); }
chx_effect Alice_act(void) { return chx_effect_id(); }

int main(void)
{
    struct rescues_run_result r;
    if (rescues_run(&r, NULL) != CHX_OK)
        return 1;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            if (r.Alice.at[i].high == r.Alice.at[k].high && r.Alice.at[i].low == r.Alice.at[k].low)
                return printf("%d and %d are the same\n", k, i) < 0;
    printf("4 identifiers, all different\n");
    return 0;
}
