// Results of a call need not be taken, and a role without part in a definition does nothing in it.
// expect: 1 done
#include <chorex.h>
#include <stdio.h>

choreography(unused, (Alice, Bob, Carol),
    void Alice.done(int n);
    def run(Alice.int n) {
        both(Alice.n);
        Alice.done(n);
    }
    def both(Alice.int n) -> Alice.int, Bob.const char * {
        Alice.n ~> Bob.m;
        return Alice.n, Bob.(m > 0 ? "some" : "none");
    }
    def nothing() {
    }
    def other(Carol.int c) -> Carol.int {
        return Carol.c;
    }
)

#include "unused.Alice.chor.h"
#include "unused.Bob.chor.h"
#include "unused.Carol.chor.h"

void Alice_done(int n) { printf("%d done\n", n); }

int main(void)
{
    if (unused_run(NULL, 1) != CHX_OK || unused_nothing(NULL) != CHX_OK || unused_other(NULL, NULL, 2) != CHX_OK)
        return 1;
    return 0;
}
