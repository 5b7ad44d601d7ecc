// `init` runs in every new instance of a role; an effect's identifier is the same in a retry, another one in a rescue.
// expect: inits of Alice 3, of Bob 1; finis 1 1
// expect: retry same, rescue different, next different
//! no-process: its roles share globals
#include <chorex.h>
#include <stdio.h>

choreography(hooked, (Alice, Bob),
    void Alice.init(void);
    void Alice.fini(void);
    void Bob.init(void);
    void Bob.fini(void);
    int Alice.before(void);
    void Alice.act(int where);
    // One place for all: only what has happened before tells one effect from another.
    def tell(Alice.int where) -> Bob.int {
        Alice.(1) ~> Bob.n;
        Alice.act(where);
        return Bob.n;
    }
    def run() -> Bob.int {
        Bob.int n = 0;
        Alice.before() ~> Bob._;
        checkpoint retry 1 {
            Bob.n = tell(Alice.(0));
            Bob.n = 7;
        } rescue {
            Bob._ = tell(Alice.(1));
        }
        Bob._ = tell(Alice.(2));
        return Bob.n;
    }
)

#include "hooked.Alice.chor.h"
#include "hooked.Bob.chor.h"

static int alice_inits, bob_inits, alice_finis, bob_finis, calls;
static chx_effect effects[4];

void Alice_init(void) { alice_inits++; }
void Alice_fini(void) { alice_finis++; }
void Bob_init(void) { bob_inits++; }
int Alice_before(void) { return 2; }
void Bob_fini(void) { bob_finis++; }

void Alice_act(int where)
{
    effects[calls++] = chx_effect_id();
    if (where == 0)
        chx_fail("not yet");
}

static const char *compare(chx_effect a, chx_effect b)
{
    return a.high == b.high && a.low == b.low ? "same" : "different";
}

int main(void)
{
    struct hooked_run_result r;
    if (hooked_run(&r, NULL) != CHX_OK || calls != 4 || r.Bob != 0)
        return 1;
    printf("inits of Alice %d, of Bob %d; finis %d %d\n", alice_inits, bob_inits, alice_finis, bob_finis);
    printf("retry %s, rescue %s, next %s\n", compare(effects[0], effects[1]), compare(effects[0], effects[2]),
           compare(effects[2], effects[3]));
    return 0;
}
