// chx_effect_id() differs from step to step, role to role and session to session.
//! no-central
// expect: 8 identifiers, all different
#include <chorex.h>
#include <stdio.h>

choreography(effects, (Alice, Bob),
    chx_effect Alice.act(void);
    chx_effect Bob.act(void);
    def run() -> Bob.{chx_effect, chx_effect, chx_effect, chx_effect} {
        Alice.act() ~> Bob.a;
        Alice.act() ~> Bob.b;
        Bob.c = act();
        Bob.d = act();
        return Bob.{a, b, c, d};
    }
)

#include "effects.Alice.chor.h"
#include "effects.Bob.chor.h"

chx_effect Alice_act(void) { return chx_effect_id(); }
chx_effect Bob_act(void) { return chx_effect_id(); }

int main(void)
{
    chx_effect ids[8];
    for (int i = 0; i < 2; i++) {
        struct effects_run_result r;
        if (effects_run(&r, NULL) != CHX_OK)
            return 1;
        ids[4 * i] = r.Bob.v0;
        ids[4 * i + 1] = r.Bob.v1;
        ids[4 * i + 2] = r.Bob.v2;
        ids[4 * i + 3] = r.Bob.v3;
    }
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < i; k++) {
            if (ids[i].high == ids[k].high && ids[i].low == ids[k].low)
                return 1;
        }
    }
    printf("8 identifiers, all different\n");
    return 0;
}
