// Comments, strings, #if'ed-out blocks and definitions of the word are no choreographies.
//! no-central
// expect: choreography(no, (A), ~> ) 2
#include <chorex.h>
#include <stdio.h>

/* choreography(commented, (A, B), def run() { A.x ~> B.y; }) */
// choreography(commented, (A, B), nonsense
#if 0
choreography(disabled, (A, B), def run() { A.x ~> B.y; } )
#endif
#ifdef NOT_DEFINED_ANYWHERE
choreography(disabled_too, (A, B), this is not even a choreography )
#include "disabled_too.A.chor.h"
#else
choreography(real, (Alice, Bob),
    def run() -> Bob.const char *, Alice.int {
        Alice.("choreography(no, (A), ~> )") ~> Bob.s;
        Alice.char c = ')';
        return Bob.s, Alice.(c == ')' ? 2 : 0);
    }
)
#endif

#include "real.Alice.chor.h"
#include "real.Bob.chor.h"

int main(void)
{
    struct real_run_result r;
    if (real_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%s %d\n", r.Bob, r.Alice);
    real_run_result_drop(&r);
    return 0;
}
