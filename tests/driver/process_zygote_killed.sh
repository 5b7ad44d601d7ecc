# The zygote dies in the middle, again and again: there is a new one, and the roles go on from their checkpoint.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
cat >whole.c <<'WHOLE'
#include <chorex.h>
#include <stdio.h>
#include <unistd.h>

choreography(whole, (A, B),
    void A.inside(void);
    bool A.goes_on(void);
    def run() -> A.int, B.int {
        A.int good = 0;
        B.int n = 0;
        checkpoint retry 1000 {
            B.(1) ~> A._;
            A.inside();
            while (A.goes_on()) {
                A.(good + 1) ~> B.x;
                B.n = x;
                B.n ~> A.good;
            }
        }
        return A.good, B.n;
    }
)

#include "whole.A.chor.h"
#include "whole.B.chor.h"

// Both are in the block now: a line more.
void A_inside(void)
{
    FILE *file = fopen("inside", "a");
    if (file == NULL || fputs("inside\n", file) < 0 || fclose(file) != 0)
        chx_fail("no file");
}

bool A_goes_on(void) { return access("stop", F_OK) != 0; }

int main(void)
{
    struct whole_cast cast = {.A = {.isolation = CHX_PROCESS}, .B = {.isolation = CHX_PROCESS}};
    struct whole_run_result r;
    if (whole_run(&r, &cast) != CHX_OK) {
        printf("%s: %s\n", chx_last_report()->role, chx_last_report()->why);
        return 1;
    }
    puts(r.A == r.B ? "fine" : "they do not agree");
    return 0;
}
WHOLE
"$CHORCC" -O1 -g -Wall -Wextra whole.c -o whole
touch inside
CHOREX_LOG=error ./whole >out &
pid=$!
inside()
{
    [ "$(wc -l <inside)" -ge "$1" ] || ! kill -0 $pid 2>/dev/null
}
for i in 1 2 3 4 5; do
    soon "the roles are not in the block" inside $i
    kill -9 $(named chorex-zygote) || fail "there is no zygote"
done
soon "the roles are not in the block" inside 6
touch stop
status=0
wait $pid || status=$?
[ $status -eq 0 ] || { cat out; fail "exit status $status"; }
[ "$(cat out)" = fine ] || fail "$(cat out)"
[ "$(wc -l <inside)" -ge 6 ] || fail "nobody was restarted"
soon "processes are left" nothing_runs
