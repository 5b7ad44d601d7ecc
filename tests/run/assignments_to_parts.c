// Assignments with operators, to array elements and to fields; deliveries into parts.
// expect: 7 50 9 8 77
#include <chorex.h>
#include <stdio.h>

struct point { int x, y; };

choreography(parts, (Alice, Bob),
    def run() -> Alice.{int, int, int, int}, Bob.int {
        Alice.int n = 1;
        Alice.n += 4;
        Alice.n <<= 1;
        Alice.n -= 3;
        Alice.int a[3] = {10, 20, 30};
        Alice.int i = 1;
        Alice.a[i + 1] = 5;
        Alice.a[i] += 15;
        Alice.a[0]++;
        Alice.a[0] = a[0] - 1 + a[i - 1] - a[0];
        Alice.struct point p = {0};
        Alice.p.x = 9;
        Bob.struct point q[2] = {{0, 0}, {0, 0}};
        Alice.(77) ~> Bob.q[1].y;
        Bob.(8) ~> Alice.p.y;
        return Alice.{n, a[0] + a[1] + a[2], p.x, p.y}, Bob.(q[1].y);
    }
)

#include "parts.Alice.chor.h"
#include "parts.Bob.chor.h"

int main(void)
{
    struct parts_run_result r;
    if (parts_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d %d %d %d\n", r.Alice.v0, r.Alice.v1, r.Alice.v2, r.Alice.v3, r.Bob);
    return 0;
}
