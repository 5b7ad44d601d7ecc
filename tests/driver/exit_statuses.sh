# Exit status 1 for errors in the program, 2 for wrong usage, the compiler's own otherwise.
set -eu
. "$(dirname "$0")/common.bash"
hello
sed 's/~> Bob.y/~> Carol.y/' hello.c >bad.c
status 1 "$CHORCC" -c bad.c
status 2 "$CHORCC" --emit
status 2 "$CHORCC" --central
status 2 "$CHORCC" --central hello
status 2 "$CHORCC" --stubs
echo 'int main(void) { return undeclared; }' >wrong.c
status 1 "$CHORCC" wrong.c
contains messages "undeclared"
status 1 "$CHORCC" hello.c -o hello -lno_such_library_anywhere
