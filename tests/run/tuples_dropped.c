// A whole tuple can be dropped, sent or as a result, and so can each of its parts.
// expect: 2
#include <chorex.h>
#include <stdio.h>

choreography(dropped, (Alice, Bob),
    const char *Alice.name(int n);
    def pair() -> Alice.{int, const char *}, Bob.{int, int} {
        return Alice.{1, name(1)}, Bob.{1, 2};
    }
    def one() -> Bob.int {
        return Bob.(3);
    }
    def run() -> Bob.int {
        Alice.{1, 2} ~> Bob._;
        Alice.{"x", name(2)} ~> Bob._;
        Alice.{name(3), 2} ~> {Alice, Bob}._;
        Alice._, Bob.{_, x} = pair();
        Alice._, Bob._ = pair();
        Alice.{_, _}, Bob.{_, _} = pair();
        pair();
        Bob._ = one();
        return Bob.x;
    }
)

#include "dropped.Alice.chor.h"
#include "dropped.Bob.chor.h"

static const char *Alice_name(int n) { return chx_cstr(chx_strf("name %d", n)); }

int main(void)
{
    struct dropped_run_result r;
    if (dropped_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d\n", r.Bob);
    return 0;
}
