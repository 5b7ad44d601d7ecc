# --emit writes the companions and compiles nothing; the C compiler does the rest.
set -eu
. "$(dirname "$0")/common.bash"
hello
"$CHORCC" --emit hello.c
for file in hello.chor.h hello.Alice.chor.h hello.Bob.chor.h; do
    [ -f $file ] || fail "no $file"
done
[ ! -e a.out ] && [ ! -e hello.o ] || fail "--emit has compiled"
lacks hello.Alice.chor.h "$PWD"
gcc -std=c11 -Wall -Wextra -Wpedantic -Werror $("$CHORCC" --cflags) hello.c $("$CHORCC" --libs) -o hello
prints 42 ./hello
