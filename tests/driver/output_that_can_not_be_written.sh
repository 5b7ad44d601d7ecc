# What can't be printed is an error: the disk is full, or standard output is closed.
set -eu
. "$(dirname "$0")/common.bash"
hello
refused()
{
    code=0
    "$@" >/dev/full 2>messages || code=$?
    [ $code -eq 1 ] || fail "$* to a full disk: status $code"
    contains messages "standard output can't be written"
    code=0
    "$@" >&- 2>messages || code=$?
    [ $code -eq 1 ] || fail "$* with closed output: status $code"
    contains messages "standard output can't be written"
}
for pass in tokens tree types local; do
    refused "$CHORCC" --dump=$pass hello.c
done
refused "$CHORCC" --help
refused "$CHORCC" --version
refused "$CHORCC" --cflags
refused "$CHORCC" --showme hello.c
refused "$CHORCC" --central hello hello.c
refused "$CHORCC" --stubs hello.Bob hello.c
refused "$(dirname "$CHORCC")/chorex" help
refused "$(dirname "$CHORCC")/chorex" version

# Nothing is printed here: a closed stream does not matter.
"$CHORCC" hello.c -o hello <&- >&- 2>&-
prints 42 ./hello
