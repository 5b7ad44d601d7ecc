// A role's function takes arrays, functions, variable arguments; the companion declares it as the choreography does.
// expect: 6 3 12 6
#include <chorex.h>
#include <stdarg.h>
#include <stdio.h>

static int twice(int n) { return 2 * n; }

choreography(arrays, (Alice, Bob),
    int Alice.corner(int matrix[2][3]);
    int Alice.first(const int a[3]);
    int Alice.apply(int (*f)(int), int n);
    int Alice.sum(int count, ...);
    def run() -> Bob.{int, int, int, int} {
        Alice.int m[2][3] = {{1, 2, 3}, {4, 5, 6}};
        Alice.int a[3] = {3, 2, 1};
        Alice.{corner(m), first(a), apply(twice, 6), sum(3, 1, 2, 3)} ~> Bob.{w, x, y, z};
        return Bob.{w, x, y, z};
    }
)

#include "arrays.Alice.chor.h"
#include "arrays.Bob.chor.h"

static int Alice_corner(int matrix[2][3]) { return matrix[1][2]; }
static int Alice_first(const int a[3]) { return a[0]; }
static int Alice_apply(int (*f)(int), int n) { return f(n); }

static int Alice_sum(int count, ...)
{
    va_list list;
    int sum = 0;
    va_start(list, count);
    while (count-- > 0)
        sum += va_arg(list, int);
    va_end(list);
    return sum;
}

int main(void)
{
    struct arrays_run_result r;
    if (arrays_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d %d %d\n", r.Bob.v0, r.Bob.v1, r.Bob.v2, r.Bob.v3);
    return 0;
}
