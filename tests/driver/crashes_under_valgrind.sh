# Crashes in one session leave no memory behind that nobody frees.
set -eu
. "$(dirname "$0")/common.bash"
command -v valgrind >/dev/null || { echo "no valgrind here"; exit 0; }
"$CHORCC" --emit-dir=. -DROUNDS=300 -g "$(dirname "$0")/../run/signals_leave_nothing_behind.c" -o crashes
# The crashes themselves are errors to valgrind: only its last word counts.
CHOREX_LOG=off valgrind --leak-check=full ./crashes >output 2>messages || { cat messages >&2; fail "exit status $?"; }
contains output "300 crashes, nothing left behind"
if ! grep -q "All heap blocks were freed" messages; then
    contains messages "definitely lost: 0 bytes in 0 blocks"
    contains messages "indirectly lost: 0 bytes in 0 blocks"
fi
