# chorcc is cc: compile and link in one go, or with -c and -o, behind gcc and clang.
set -eu
. "$(dirname "$0")/common.bash"
hello
"$CHORCC" hello.c -o hello
prints 42 ./hello
"$CHORCC" -c hello.c
[ -f hello.o ] || fail "no hello.o"
"$CHORCC" hello.o -o second
prints 42 ./second
for cc in gcc clang "gcc -O2"; do
    CHORCC_CC=$cc "$CHORCC" -Wall -Wextra -Wpedantic -Werror -std=c11 -O1 -g hello.c -o third
    prints 42 ./third
done
"$CHORCC" hello.c
prints 42 ./a.out
