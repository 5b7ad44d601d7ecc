# Macros and variables of the user's may have any name: the headers and emitted code use reserved names only, or shield
# the others, and give no warnings where the user asks for many.
set -eu
. "$(dirname "$0")/common.bash"
root=$(cd "$(dirname "$0")/../.." && pwd)
names=$root/scripts/names
"$names" --check || fail "names in the public headers"

warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wcast-qual -Wcast-align
    -Wstrict-prototypes -Wmissing-prototypes -Wmissing-declarations -Wredundant-decls -Wundef -Wswitch-enum
    -Wdouble-promotion -Wwrite-strings -Wold-style-definition -Wnested-externs -Wpointer-arith -Wbad-function-cast
    -Wdeclaration-after-statement"

# check FILE [OPTION]: its companions are clean, and the program compiles where every other name is a macro. Warnings
# about the user's own C don't count.
check()
{
    "$CHORCC" --emit --emit-dir=companions "$1"
    "$names" --companion companions/*.chor.h || fail "names in the companions of $1"
    "$names" --hostile "$1" >hostile.h
    for compiler in gcc clang; do
        CHORCC_CC=$compiler "$CHORCC" --emit-dir=companions -include hostile.h -fsyntax-only $warnings ${2:-} "$1" \
            2>messages || { cat messages >&2; fail "$1 with $compiler and hostile macros"; }
        lacks messages .chor.h:
        lacks messages chorex.h:
        lacks messages generated.h:
    done
    rm -rf companions
}

for file in "$root"/examples/*/*.c; do
    ! grep -q 'chor\.h"' "$file" || check "$file"
done

# What the examples lack: bit-fields, codecs, checkpoints with retries in loops with jumps, several implementations,
# tuples, variables with the names that emitted code once had.
cat >all.c <<'END_OF_SOURCE'
#include <chorex.h>
#include <stdlib.h>

struct bits {
    unsigned flag : 3;
    int number : 4;
    char word[4];
};
typedef struct {
    int *cell;
} box;
int frame, Alice_n, runtime, cast;
static void box_encode(chx_writer *w, const void *b)
{
    chx_write_u64(w, (uint64_t)*((const box *)b)->cell);
}
static bool box_decode(chx_reader *r, void *b)
{
    uint64_t u;
    ((box *)b)->cell = malloc(sizeof(int));
    if (((box *)b)->cell == NULL || !chx_read_u64(r, &u))
        return false;
    *((box *)b)->cell = (int)u;
    return true;
}
static void box_drop(void *b)
{
    free(((box *)b)->cell);
}
CHX_CODEC(box, box_encode, box_decode, box_drop);

choreography(all, (Alice, Bob),
    box Alice.make(int n);
    def run(Alice.int n, Alice.struct bits bits) -> Bob.int, Alice.{int, int} {
        Alice.bits ~> Bob.frame;
        Alice.make(n) ~> Bob.at;
        Bob.k = 0;
        for (Bob.int i = 0; Bob.(i < 3); Bob.i++) {
            switch (Bob.i) {
            case 0:
                continue;
            case 1:
                Bob.k++;
                break;
            default:
                checkpoint within 5s retry 2 {
                    Bob.(i + k + (int)frame.flag + *at.cell) ~> Alice._;
                } rescue (cause) {
                    Bob.(cause.line) ~> Alice._;
                }
                Bob.k = twice(Bob.k);
                break;
            }
        }
        return Bob.k, Alice.{n, n};
    }
    def twice(Bob.int x) -> Bob.int {
        if (Bob.(x > 100)) {
            return Bob.x;
        }
        Bob.y = twice(Bob.(x * 2));
        return Bob.(y / 2);
    }
)

#include "all.Bob.chor.h"
#include "all.Alice.chor.h"
static box Alice_make(int n)
{
    box b = {malloc(sizeof(int))};
    *b.cell = n;
    return b;
}
#define CHX_ROLE_AS other
#include "all.Alice.chor.h"
static box other_make(int n)
{
    return Alice_make(n);
}
END_OF_SOURCE
check all.c -Werror
