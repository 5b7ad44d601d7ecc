# Companions carry #line: what the C compiler says about local C names the choreography's own line.
set -eu
. "$(dirname "$0")/common.bash"
hello
sed -i 's/Bob.(y + 1)/Bob.(y + 1 \/ 0)/' hello.c
"$CHORCC" -Wall -c hello.c 2>messages || true
contains messages "hello.c:7:"
contains messages "division by zero"

# An expression begins in the user's column, however long the line of the companion is; gcc and clang show it there.
cat >columns.c <<'C'
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
choreography(columns, (Alice, Bob),
    def run(Alice.int n) {
        if (Alice.(abs(1.5) == n)) {
            Alice.n ~> Bob.m;
            Bob.int k = abs(2.5) + m;
            Bob.(printf("%d\n", k));
            Bob.(
                abs(3.5) + m +
                k);
        }
    }
)
#include "columns.Alice.chor.h"
#include "columns.Bob.chor.h"
C
for compiler in gcc clang; do
    CHORCC_CC=$compiler "$CHORCC" -Wconversion -c columns.c 2>messages || true
    contains messages "columns.c:6:24: warning:"
    contains messages "columns.c:8:29: warning:"
    contains messages "columns.c:11:21: warning:"
done
