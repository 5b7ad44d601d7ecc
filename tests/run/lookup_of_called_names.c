// A called name in local C: first a located prototype, then what C declares, else a function the role provides.
// expect: 100 4 8 9
#include <chorex.h>
#include <stdio.h>
#include <string.h>

static int helper(int n) { return n * 2; }

choreography(lookup, (Alice),
    int Alice.abs(int n);
    def run() -> Alice.{int, int, int, int} {
        Alice.int mine = abs(-5);
        Alice.int standard = (int)strlen("four");
        Alice.int user = helper(4);
        Alice.int inferred = provided(standard, user);
        return Alice.{mine, standard, user, inferred};
    }
)

#include "lookup.Alice.chor.h"

int Alice_abs(int n) { return n * -20; }
int Alice_provided(int a, int b) { return a + b - 3; }

int main(void)
{
    struct lookup_run_result r;
    if (lookup_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d %d %d\n", r.Alice.v0, r.Alice.v1, r.Alice.v2, r.Alice.v3);
    return 0;
}
