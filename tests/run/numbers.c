// Every arithmetic type travels with its value.
// expect: 1 -1 255 -32768 65535 -2147483648 4294967295
// expect: -9223372036854775807 18446744073709551615
// expect: 0.5 0.25 0.125
#include <chorex.h>
#include <limits.h>
#include <stdio.h>

choreography(numbers, (Alice, Bob),
    def whole() -> Bob.{bool, signed char, unsigned char, short, unsigned short, int, unsigned} {
        Alice.bool a = true;
        Alice.signed char b = -1;
        Alice.unsigned char c = 255;
        Alice.short d = SHRT_MIN;
        Alice.unsigned short e = 65535;
        Alice.int f = INT_MIN;
        Alice.unsigned g = UINT_MAX;
        Alice.{a, b, c, d, e, f, g} ~> Bob.{a, b, c, d, e, f, g};
        return Bob.{a, b, c, d, e, f, g};
    }
    def wide() -> Bob.{long, unsigned long long} {
        Alice.(-9223372036854775807L) ~> Bob.a;
        Alice.(18446744073709551615ULL) ~> Bob.b;
        return Bob.{a, b};
    }
    def fractions() -> Bob.{float, double, long double} {
        Alice.(0.5f) ~> Bob.a;
        Alice.(0.25) ~> Bob.b;
        Alice.(0.125L) ~> Bob.c;
        return Bob.{a, b, c};
    }
)

#include "numbers.Alice.chor.h"
#include "numbers.Bob.chor.h"

int main(void)
{
    struct numbers_whole_result w;
    struct numbers_wide_result l;
    struct numbers_fractions_result f;
    if (numbers_whole(&w, NULL) != CHX_OK || numbers_wide(&l, NULL) != CHX_OK || numbers_fractions(&f, NULL) != CHX_OK)
        return 1;
    printf("%d %d %d %d %d %d %u\n", w.Bob.v0, w.Bob.v1, w.Bob.v2, w.Bob.v3, w.Bob.v4, w.Bob.v5, w.Bob.v6);
    printf("%ld %llu\n", l.Bob.v0, l.Bob.v1);
    printf("%g %g %Lg\n", (double)f.Bob.v0, f.Bob.v1, f.Bob.v2);
    return 0;
}
