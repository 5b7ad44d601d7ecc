# A deadline costs the same however many others are armed.
set -eu
. "$(dirname "$0")/common.bash"
command -v valgrind >/dev/null || { echo "no valgrind here"; exit 0; }

# Each level of the recursion is in a block with a deadline: all are armed at the same time.
cat >deep.c <<'END'
#include <chorex.h>
#include <stdlib.h>
choreography(deep, (Ann, Ben),
    def down({Ann, Ben}.int depth) -> Ann.int {
        Ann.int x = 0;
        checkpoint within 1000s {
            if ({Ann, Ben}.(depth > 0)) {
                Ann.x = down({Ann, Ben}.(depth - 1));
            }
        }
        return Ann.x;
    }
)
#include "deep.Ann.chor.h"
#include "deep.Ben.chor.h"
int main(int argc, char **argv)
{
    struct deep_down_result result;
    return deep_down(&result, NULL, argc > 1 ? atoi(argv[1]) : 1) != CHX_OK;
}
END
"$CHORCC" -O1 --emit-dir=emitted deep.c -o deep || fail deep.c

# instructions DEPTH: the least of three runs, since a worker that has nothing to do for a moment looks for work
instructions()
{
    for _ in 1 2 3; do
        valgrind --tool=callgrind --callgrind-out-file=counted ./deep "$1" >/dev/null 2>messages ||
            fail "deep $1 under valgrind"
        sed -n 's/^totals: //p' counted
    done | sort -n | head -1
}

# per_level DEPTH: of two runs the difference, so that what a program does once does not count
per_level()
{
    echo $((($(instructions $((2 * $1))) - $(instructions "$1")) / $1))
}

few=$(per_level 100)
many=$(per_level 5000)
[ "$few" -gt 200 ] || fail "a block with a deadline takes $few instructions: not counted"
[ "$many" -lt $((few + few / 2)) ] ||
    fail "a block with a deadline takes $many instructions where 10,000 are armed, $few where 200 are"
