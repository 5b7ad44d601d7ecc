# gdb breaks on the choreography's lines, steps through them, and shows what a role knows.
set -eu
. "$(dirname "$0")/common.bash"
command -v gdb >/dev/null || fail "gdb is not installed"
cat >steps.c <<'END'
#include <chorex.h>
#include <stdio.h>

choreography(steps, (Alice, Bob),
    def run(Alice.int x) -> Alice.int {
        Alice.int first = x + 1;
        Alice.int second = first * 2;
        Alice.int third = second - 3;
        Alice.third ~> Bob.y;
        Bob.(y + 1) ~> Alice.z;
        return Alice.z;
    }
)

#include "steps.Alice.chor.h"
#include "steps.Bob.chor.h"

int main(void)
{
    struct steps_run_result result;
    if (steps_run(&result, NULL, 20) != CHX_OK)
        return 1;
    printf("%d\n", result.Alice);
    return 0;
}
END
"$CHORCC" -g -O0 steps.c -o steps
cat >commands <<'END'
set pagination off
set confirm off
break steps.c:6
run
next
next
print Alice->first
print Alice->second
backtrace 1
break steps.c:11
continue
print Alice->z
delete
continue
END
gdb -q -batch -nx -iex 'set debuginfod enabled off' -x commands ./steps >log 2>&1 || { cat log >&2; fail "gdb"; }
for text in "Alice.int first = x + 1;" "Alice.int second = first * 2;" "Alice.int third = second - 3;" \
    "= 21" "= 42" "return Alice.z;" "= 40" "exited normally"; do
    contains log "$text"
done
grep -Eq 'at (.*/)?steps.c:8' log || { cat log >&2; fail "the backtrace does not name the choreography's line"; }
