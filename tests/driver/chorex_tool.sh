# chorex: a new program compiles and runs, a name that can't be one is refused, wrong usage says what is wrong.
set -eu
. "$(dirname "$0")/common.bash"
chorex=$(dirname "$CHORCC")/chorex
[ -x "$chorex" ] || fail "chorex is not beside chorcc"
"$chorex" new first >output
contains output "chorcc first.c -o first"
"$CHORCC" -Wall -Wextra -Werror first.c -o first
prints "the answer is 42" ./first
"$chorex" check first.c
[ ! -e second.chor.h ] || fail "check has written something"

# Never over a file that is there.
echo mine >second.c
status 1 "$chorex" new second
[ "$(cat second.c)" = mine ] || fail "new has written over a file"

# Words of C, the library's names, what is no name at all.
for name in int while chx chx_x a/b 'a b' 1a "$(printf 'a%.0s' $(seq 300))"; do
    status 2 "$chorex" new "$name"
    contains messages "chorex: error:"
    [ ! -e "$name.c" ] || fail "new $name has left a file"
done

sed 's/~> Bob.question/~> Carol.question/' first.c >wrong.c
status 1 "$chorex" check wrong.c
contains messages "no role 'Carol'"
status 1 "$chorex" check missing.c
status 2 "$chorex" check
status 2 "$chorex" new
status 2 "$chorex" new two names
contains messages "one name"
status 2 "$chorex" nonsense
contains messages "'nonsense'"
status 2 "$chorex"
contains messages "Usage"
"$chorex" version | grep -q '^chorex .*[0-9]' || fail "version"
