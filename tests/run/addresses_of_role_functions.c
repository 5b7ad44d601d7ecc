// A role's own function can be passed to C, and called by a macro; a variable of the same name hides it.
// expect: 1 2 3 10 7 5
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

#define CALL(f, x) f(x)
#define SAME(x) x

typedef int (*step)(int);
static int apply(step f, int n) { return f(n); }

choreography(pointers, (Alice, Bob),
    int Alice.order(const void *one, const void *other);
    int Alice.next(int n);
    def run() -> Bob.{int, int, int, int, int, int} {
        Alice.int a[3] = {3, 1, 2};
        Alice.(qsort(a, 3, sizeof a[0], order));
        Alice.step s = n_is(9) ? next : NULL;
        Alice.int w = s(9);
        Alice.int x = CALL(next, 3) + SAME(next)(2);
        Alice.int next = 4;
        Alice.int y = SAME(next) + 1;
        Alice.{a[0], a[1], a[2], w, x, y} ~> Bob.{a, b, c, w, x, y};
        return Bob.{a, b, c, w, x, y};
    }
    bool Alice.n_is(int n);
)

#include "pointers.Alice.chor.h"
#include "pointers.Bob.chor.h"

static int Alice_order(const void *one, const void *other) { return *(const int *)one - *(const int *)other; }
static int Alice_next(int n) { return n + 1; }
static bool Alice_n_is(int n) { return apply(Alice_next, n) == 10; }

int main(void)
{
    struct pointers_run_result r;
    if (pointers_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d %d %d %d %d\n", r.Bob.v0, r.Bob.v1, r.Bob.v2, r.Bob.v3, r.Bob.v4, r.Bob.v5);
    return 0;
}
