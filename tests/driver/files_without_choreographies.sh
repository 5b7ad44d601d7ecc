# Files without a choreography compile as with cc: C, assembler, C++, standard input, and the compiler's own queries.
set -eu
. "$(dirname "$0")/common.bash"
echo 'int main(void) { return 0; }' >plain.c
"$CHORCC" plain.c -o plain
./plain
[ "$(ls)" = "plain
plain.c" ] || fail "something else was written: $(ls)"
echo 'int main() { return 0; }' >plain.cc
"$CHORCC" -c plain.cc -o plain.o
echo 'int from_standard_input(void) { return 3; }' | "$CHORCC" -x c -c - -o stdin.o
[ -f stdin.o ] || fail "no stdin.o"
[ "$("$CHORCC" -dumpmachine)" = "$(cc -dumpmachine)" ] || fail "-dumpmachine"
"$CHORCC" -print-search-dirs >/dev/null
"$CHORCC" -E -dM -x c /dev/null >macros
contains macros "__STDC__"
"$CHORCC" -v 2>messages
