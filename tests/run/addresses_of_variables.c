// Local C may take the address of a variable, change it in an expression, and pass it to the role's functions.
// expect: 10 4 3 8
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

choreography(addresses, (Alice),
    void Alice.set(int *where, int value);
    def run() -> Alice.{int, int, int, int} {
        Alice.int x = 0;
        Alice.set(&x, 10);
        Alice.int n = 3;
        Alice.int before = n++;
        Alice.int a[3] = {30, 8, 20};
        Alice.(qsort(a, 3, sizeof a[0], compare));
        return Alice.{x, n, before, a[0]};
    }
)

#include "addresses.Alice.chor.h"

void Alice_set(int *where, int value) { *where = value; }

int main(void)
{
    struct addresses_run_result r;
    if (addresses_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d %d %d\n", r.Alice.v0, r.Alice.v1, r.Alice.v2, r.Alice.v3);
    return 0;
}
