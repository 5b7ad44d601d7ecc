# A source of 100 MB with a choreography in it is refused in clear words and in no time.
set -eu
. "$(dirname "$0")/common.bash"
hello huge.c
{ printf '/*'; head -c 100000000 /dev/zero | tr '\0' 'x'; printf '*/\n'; } >>huge.c
code=0
timeout 60 "$CHORCC" --emit huge.c >output 2>messages || code=$?
[ $code -eq 1 ] || [ $code -eq 2 ] || { head -c 2000 messages >&2; fail "status $code"; }
contains messages "huge.c"
[ "$(wc -c <messages)" -lt 1000 ] || fail "a message of $(wc -c <messages) bytes"
rm -f huge.c
