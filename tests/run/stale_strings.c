// Strings that were sent in an abandoned attempt and never received belong to nobody: they are released.
// expect: 20 rescues: rescued by Alice
//! no-process: its roles share globals
//! no-central
//! no-sim
#include <chorex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

choreography(strings, (Alice, Bob, Carol),
    void Alice.fail(void);
    void Bob.wait(int round);
    void Carol.release(int round);
    def run() -> Bob.{int, chx_str} {
        Bob.int rescues = 0;
        Bob.chx_str heard = {0};
        for ({Alice, Bob, Carol}.int i = 0; {Alice, Bob, Carol}.(i < 20); {Alice, Bob, Carol}.i++) {
            checkpoint {
                Bob.wait(i);
                Alice.(chx_strf("never received %d", i)) ~> Bob.heard;
                Alice.(chx_strf("%*d", 1000, i)) ~> Bob.heard;
                Alice.(1) ~> Carol._;
                Alice.fail();
                Alice.(2) ~> Carol._;
            } rescue {
                Carol.release(i);
                Alice.(chx_strf("rescued by %s", chx_role_name())) ~> Bob.heard;
                Bob.rescues++;
            }
        }
        return Bob.{rescues, heard};
    }
)

#include "strings.Alice.chor.h"
#include "strings.Bob.chor.h"
#include "strings.Carol.chor.h"

static _Atomic int released = -1;

void Alice_fail(void) { chx_fail("each time"); }
void Carol_release(int round) { atomic_store(&released, round); }

void Bob_wait(int round)
{
    while (atomic_load(&released) < round)
        sched_yield();
}

int main(void)
{
    struct strings_run_result r;
    if (strings_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d rescues: %s\n", r.Bob.v0, chx_cstr(r.Bob.v1));
    strings_run_result_drop(&r);
    return 0;
}
