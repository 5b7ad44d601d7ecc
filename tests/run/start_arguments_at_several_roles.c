// A session starts with arguments of several types at several roles, in the order written.
// expect: x=4 2.5 hi y
#include <chorex.h>
#include <stdio.h>

choreography(args, (Alice, Bob, Carol),
    def run(Alice.int x, Bob.double d, Alice.const char *s, Carol.char c) -> Carol.chx_str {
        Alice.{x, s} ~> Carol.{x, s};
        Bob.d ~> Carol.d;
        return Carol.(chx_strf("x=%d %.1f %s %c", x, d, s, c));
    }
)

#include "args.Alice.chor.h"
#include "args.Bob.chor.h"
#include "args.Carol.chor.h"

int main(void)
{
    struct args_run_result r;
    if (args_run(&r, NULL, 4, 2.5, "hi", 'y') != CHX_OK)
        return 1;
    printf("%s\n", chx_cstr(r.Carol));
    args_run_result_drop(&r);
    return 0;
}
