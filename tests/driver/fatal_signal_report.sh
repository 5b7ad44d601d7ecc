# A fatal signal in a role's function ends the session, not the program; the report names signal, role and line.
set -eu
. "$(dirname "$0")/common.bash"
cat >crash.c <<'END'
#include <chorex.h>
#include <signal.h>
#include <stdio.h>

choreography(crash, (Alice, Bob),
    int Bob.fall(int n);
    def run(Alice.int n) -> Alice.int {
        Alice.n ~> Bob.n;
        Bob.fall(n) ~> Alice.m;
        return Alice.m;
    }
)

#include "crash.Alice.chor.h"
#include "crash.Bob.chor.h"

int Bob_fall(int n)
{
    if (n == 1)
        *(volatile int *)0 = 1;
    if (n == 2)
        raise(SIGABRT);
    return n;
}

int main(void)
{
    for (int n = 1; n <= 3; n++) {
        struct crash_run_result r;
        if (crash_run(&r, NULL, n) == CHX_OK)
            printf("%d\n", r.Alice);
        else
            printf("%s %d %d %d\n", chx_last_report()->role, chx_last_report()->kind == CHX_FAULT_SIGNAL,
                   chx_last_report()->signal, chx_last_report()->line);
    }
    return 0;
}
END
"$CHORCC" crash.c -o crash
prints "Bob 1 11 9
Bob 1 6 9
3" ./crash
