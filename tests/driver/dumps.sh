# --dump shows what each pass makes; an unknown one is wrong usage.
set -eu
. "$(dirname "$0")/common.bash"
hello
for pass in tokens tree types local; do
    "$CHORCC" --dump=$pass hello.c >$pass || fail "--dump=$pass fails"
    [ -s $pass ] || fail "--dump=$pass prints nothing"
    contains $pass "Alice"
done
[ ! -e hello.chor.h ] || fail "--dump has written companions"
status 2 "$CHORCC" --dump=nonsense hello.c
contains messages "nonsense"
