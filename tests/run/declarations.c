// Declarations: with a type, a brace initialiser, with designators, without a value (zero), by first assignment.
// expect: 0 0 3 7 2.5 c
#include <chorex.h>
#include <stdio.h>

struct point { int x, y; };

choreography(declare, (Alice),
    def run() -> Alice.{int, int, int, int, double, char} {
        Alice.int zero;
        Alice.struct point origin;
        Alice.struct point p = {.y = 3};
        Alice.int a[3] = {1, 2, 4};
        Alice.half = 2.5;
        Alice.const char *text = "abc";
        return Alice.{zero, origin.x + origin.y, p.x + p.y, a[0] + a[1] + a[2], half, text[2]};
    }
)

#include "declare.Alice.chor.h"

int main(void)
{
    struct declare_run_result r;
    if (declare_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d %d %d %.1f %c\n", r.Alice.v0, r.Alice.v1, r.Alice.v2, r.Alice.v3, r.Alice.v4, r.Alice.v5);
    return 0;
}
