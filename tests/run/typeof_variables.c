// A declared type may be that of a variable of the role, of an expression over its variables, or of something in C.
// expect: 3 4.5 1 2 7 x 8 9 2
#include <chorex.h>
#include <stdio.h>

struct point {
    int x;
    double y;
};
static const short global = 9;

choreography(types, (Alice, Bob),
    def run(Alice.int n, Bob.struct point p) -> Alice.{int, double, int, int, int, const char *, int, int, int} {
        Alice.__typeof__(n) a = n;
        Bob.__typeof__(p.y) b = p.y;
        Bob.b ~> Alice.double b2;
        Alice.int array[2] = {1, 2};
        Alice.__typeof__(array) copy = {0};
        Alice.copy[0] = array[0];
        Alice.copy[1] = array[1];
        Alice.n ~> Bob.__typeof__(p.x) sent;
        Bob.(sent + 4) ~> Alice.const __typeof__(n) back;
        Alice.const char *text = "x";
        Alice.__typeof__(*text) letter = text[0];
        Alice.__typeof__(global) g = global;
        Alice.__typeof__(letter ? text : 0) t = text;
        Alice.struct point n_2 = {.x = 8};
        {
            Alice.__typeof__(n_2) n = n_2; // the outer 'n_2', of which an inner 'n' is made
            Alice.__typeof__(n.x) *inside = &n.x;
            Alice.n_2.x = *inside;
        }
        Alice.__typeof__(&n) pointer = &n;
        return Alice.{a, b2, copy[0], copy[1], back, t, n_2.x, g, *pointer - (int)sizeof(letter)};
    }
)

#include "types.Alice.chor.h"
#include "types.Bob.chor.h"

int main(void)
{
    struct types_run_result r;
    if (types_run(&r, NULL, 3, (struct point){1, 4.5}) != CHX_OK) {
        puts(chx_last_report()->why);
        return 1;
    }
    printf("%d %.1f %d %d %d %s %d %d %d\n", r.Alice.v0, r.Alice.v1, r.Alice.v2, r.Alice.v3, r.Alice.v4, r.Alice.v5,
           r.Alice.v6, r.Alice.v7, r.Alice.v8);
    types_run_result_drop(&r);
    return 0;
}
