# Warnings: printed and compiled, errors with -Werror, silent with -w.
set -eu
. "$(dirname "$0")/common.bash"
hello
sed -i 's/Alice.x ~> Bob.y;/Alice.x ~> Bob.y; Alice.x ~> Bob.z;/' hello.c
status 0 "$CHORCC" hello.c -o hello
contains messages "warning:"
contains messages "'z'"
prints 42 ./hello
status 1 "$CHORCC" -Werror hello.c -o hello
status 0 "$CHORCC" -w hello.c -o hello
lacks messages "warning"
