# A role that does the same in all branches of a choice gets no message about it, in every round of a loop: counted in a trace.
# A program with many roles and long branches that are the same for all of them is compiled in time.
set -u
. "$(dirname "$0")/common.bash"

cat > plain.c <<'END'
#include <chorex.h>
#include <stdio.h>

choreography(count, (Alice, Bob, Carol),
    def run(Alice.int n, Bob.int k) -> Alice.int {
        Alice.int x = 0;
        Alice.int y = 0;
        while (Alice.(n > 0)) {
            if (Alice.(n % 2)) {
                Bob.(k + 1) ~> Alice.x;
            } else {
                Bob.(k + 1) ~> Alice.y;
                OTHER
            }
            Alice.n--;
        }
        return Alice.(x + y);
    }
)

#include "count.Alice.chor.h"
#include "count.Bob.chor.h"
#include "count.Carol.chor.h"

int main(void)
{
    struct count_run_result result;
    if (count_run(&result, NULL, 10, 5) != CHX_OK)
        return 1;
    printf("%d\n", result.Alice);
    return 0;
}
END

# told OTHER N: with this statement in the second branch, so many outcomes are sent in 10 rounds. The loop's condition is one each time.
told()
{
    sed "s/OTHER/$1/" plain.c > count.c
    "$CHORCC" count.c -o count || fail "it does not compile"
    CHOREX_TRACE=trace.json prints 12 ./count
    local got
    got=$(grep -c '"cat":"tell"' trace.json)
    [ "$got" -eq "$2" ] || fail "with '$1' $got outcomes are sent, not $2"
}

told 'Alice.y = y;' 11
told 'Bob.k = k;' 21
told 'Carol.(1) ~> Alice._;' 32

# 100 roles, 20 choices, 4,000 steps.
{
    printf '#include <chorex.h>\nchoreography(many, (R0'
    for i in {1..100}; do printf ', R%d' "$i"; done
    printf '),\n    def run(R0.int n) {\n'
    for i in {1..20}; do
        printf '        if (R0.(n > %d)) {\n' "$i"
        for role in {1..100}; do printf '            R%d.work(%d);\n' "$role" "$i"; done
        printf '        } else {\n            R0.n++;\n'
        for role in {1..100}; do printf '            R%d.work(%d);\n' "$role" "$i"; done
        printf '        }\n'
    done
    printf '    }\n)\n'
} > many.c
timeout 60 "$CHORCC" --dump=local many.c > many.local || fail "many roles: exit status $?"
lacks many.local "told by"
