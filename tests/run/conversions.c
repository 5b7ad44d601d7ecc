// C's conversions apply where a type is written: targets, declarations, parameters, results.
// expect: 3 1 44 7.0 2
#include <chorex.h>
#include <stdio.h>

choreography(convert, (Alice, Bob),
    def run(Alice.int n, Alice.double d) -> Bob.{int, bool, unsigned char, double, long} {
        Alice.(d + 1) ~> Bob.int a;
        Alice.n ~> Bob.bool b;
        Alice.(n) ~> Bob.unsigned char c;
        Bob.double d = wider(Bob.(7));
        Bob.e = truncated(Alice.d);
        return Bob.{a, b, c, d, e};
    }
    def wider(Bob.float f) -> Bob.float {
        return Bob.f;
    }
    def truncated(Alice.short s) -> Bob.long {
        Alice.s ~> Bob.int t;
        return Bob.t;
    }
)

#include "convert.Alice.chor.h"
#include "convert.Bob.chor.h"

int main(void)
{
    struct convert_run_result r;
    if (convert_run(&r, NULL, 300, 2.75) != CHX_OK)
        return 1;
    printf("%d %d %d %.1f %ld\n", r.Bob.v0, r.Bob.v1, r.Bob.v2, r.Bob.v3, r.Bob.v4);
    return 0;
}
