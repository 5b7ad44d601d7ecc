// Results own their strings until they are dropped; members of several roles, tuples and sets.
// expect: a b c c d
#include <chorex.h>
#include <stdio.h>

choreography(owned, (Alice, Bob, Carol),
    def run() -> Alice.{const char *, chx_str}, {Bob, Carol}.chx_str {
        Alice.(chx_strf("%s", "c")) ~> {Bob, Carol}.c;
        return Alice.{"a", chx_strf("b")}, {Bob, Carol}.c;
    }
    def other(Alice.chx_bytes d) -> Bob.chx_bytes {
        Alice.d ~> Bob.d;
        return Bob.d;
    }
)

#include "owned.Alice.chor.h"
#include "owned.Bob.chor.h"
#include "owned.Carol.chor.h"

int main(void)
{
    struct owned_run_result r;
    if (owned_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%s %s %s %s", r.Alice.v0, chx_cstr(r.Alice.v1), chx_cstr(r.Bob), chx_cstr(r.Carol));
    owned_run_result_drop(&r);

    struct owned_other_result o;
    chx_bytes d = chx_bytes_new("d", 1);
    if (owned_other(&o, NULL, d) != CHX_OK)
        return 1;
    chx_bytes_drop(d);
    printf(" %.1s\n", (const char *)chx_bytes_data(o.Bob));
    owned_other_result_drop(&o);

    // Nobody wants them.
    if (owned_run(NULL, NULL) != CHX_OK || owned_run_wait(owned_run_start(NULL, NULL), NULL) != CHX_OK)
        return 1;
    return 0;
}
