# -E and -S work as with cc.
set -eu
. "$(dirname "$0")/common.bash"
hello
"$CHORCC" -E hello.c >hello.i
contains hello.i "int main(void)"
contains hello.i "hello_run"
"$CHORCC" -E hello.c -o other.i
cmp hello.i other.i
"$CHORCC" -S hello.c -o hello.s
contains hello.s "main"
"$CHORCC" -S hello.c
"$CHORCC" hello.s -o hello
prints 42 ./hello
"$CHORCC" hello.i -o fromi
prints 42 ./fromi
