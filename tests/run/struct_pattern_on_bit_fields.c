// Bit-fields of a struct are taken out of it by a pattern, with the types that they are declared with.
// expect: 3 -2 1 3 -2
#include <chorex.h>
#include <stdio.h>

struct packed {
    unsigned low : 3;
    int sign : 4;
    bool flag : 1;
};

choreography(fields, (Alice, Bob),
    def run() -> Bob.{unsigned, int, bool}, Alice.{unsigned, int} {
        Alice.struct packed p = {3, -2, true};
        Alice.p ~> Bob.{.low, .sign = s, .flag};
        Alice.{.low, .sign = s} = p;
        return Bob.{low, s, flag}, Alice.{low, s};
    }
)

#include "fields.Alice.chor.h"
#include "fields.Bob.chor.h"

int main(void)
{
    struct fields_run_result r;
    if (fields_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%u %d %d %u %d\n", r.Bob.v0, r.Bob.v1, r.Bob.v2, r.Alice.v0, r.Alice.v1);
    return 0;
}
