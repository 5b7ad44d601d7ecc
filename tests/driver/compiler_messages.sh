# Companions carry #line: what the C compiler says about local C names the choreography's own line.
set -eu
. "$(dirname "$0")/common.bash"
hello
sed -i 's/Bob.(y + 1)/Bob.(y + 1 \/ 0)/' hello.c
"$CHORCC" -Wall -c hello.c 2>messages || true
contains messages "hello.c:7:"
contains messages "division by zero"
