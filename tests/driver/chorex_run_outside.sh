# A role on another host that waits for the outside has said what it has consumed: who sends to it may go on, and cause what it waits for.
set -eu
. "$(dirname "$0")/common.bash"
chorex=$(dirname "$CHORCC")/chorex
[ -x "$(dirname "$CHORCC")/chorex-run" ] || { echo "chorex-run is not built here"; exit 0; }
export TMPDIR=$PWD CHOREX_LOG=error

cat >outside.c <<'TEXT'
#include <chorex.h>
#include <stdio.h>
#include <unistd.h>

// With windows of 100 messages, of which 50 are fetched at a time: To has fetched 100 and consumed 60 when it waits. If it has not said
// so of the last 10, From can send 150.
enum { BEFORE = 60, ALL = 158 };

choreography(outside, (From, To),
    void From.done(void);
    void To.await(void);
    def run() -> To.int {
        {From, To}.int n = 0;
        To.int sum = 0;
        while ({From, To}.(n < BEFORE)) {
            From.(1) ~> To.one;
            To.(sum += one);
            {From, To}.n = n + 1;
        }
        To.await();
        while ({From, To}.(n < ALL)) {
            From.(1) ~> To.two;
            To.(sum += two);
            {From, To}.n = n + 1;
        }
        From.done();
        return To.sum;
    }
)
#include "outside.From.chor.h"
#include "outside.To.chor.h"

void From_done(void)
{
    fclose(fopen("done", "w"));
}

void To_await(void)
{
    if (access("done", F_OK) != 0)
        chx_again_after(10000000);
}

int main(void)
{
    struct outside_run_result result = {0};
    if (outside_run(&result, NULL) != CHX_OK) {
        fprintf(stderr, "%s\n", chx_last_report()->why);
        return 1;
    }
    printf("%d\n", result.To);
    return 0;
}
TEXT
"$CHORCC" outside.c $("$CHORCC" --cflags --libs=net) -o outside >messages 2>&1 || { cat messages; fail "it can't be compiled"; }
timeout 60 "$chorex" run --set window_messages=100 ./outside >output 2>messages || { cat messages; fail "it fails, or waits in vain"; }
[ "$(sort output | xargs)" = "0 158" ] || fail "other output: $(cat output)"
