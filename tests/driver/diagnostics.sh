# Diagnostics as text with caret and notes, as JSON and as SARIF; exit status 1 and nothing written.
set -eu
. "$(dirname "$0")/common.bash"
hello
sed 's/Alice.x ~> Bob.y/Alice.val ~> Bob.y/' hello.c >bad.c
status 1 "$CHORCC" bad.c -o bad
contains messages "bad.c:6:15: error: Alice has no variable 'val' here"
contains messages "    6 |         Alice.val ~> Bob.y;"
contains messages "      |               ^~~"
[ ! -e hello.chor.h ] && [ ! -e bad ] || fail "something was written in spite of the error"
status 1 "$CHORCC" --diagnostics=json bad.c
python3 -m json.tool messages >/dev/null || fail "not JSON"
contains messages "no variable 'val'"
status 1 "$CHORCC" --diagnostics=sarif bad.c
python3 -m json.tool messages >/dev/null || fail "not JSON"
contains messages "2.1.0"
contains messages "bad.c"
status 2 "$CHORCC" --diagnostics=nonsense bad.c
"$CHORCC" --diagnostics=json --emit hello.c 2>messages
python3 -m json.tool messages >/dev/null || fail "not JSON when all is well"
