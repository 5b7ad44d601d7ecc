# An error in a shared header is reported once, at the header's line, whoever includes it.
set -eu
. "$(dirname "$0")/common.bash"
pingpong
sed -i 's/Ping.serve(n) ~>/Ping.serve(k) ~>/' pingpong.h
status 1 "$CHORCC" main.c ping.c pong.c -o program
contains messages "pingpong.h:8:"
[ "$(grep -c 'error:' messages)" -eq 1 ] || { cat messages >&2; fail "not exactly one error"; }
