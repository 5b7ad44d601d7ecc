# --showme prints the command and does nothing.
set -eu
. "$(dirname "$0")/common.bash"
hello
"$CHORCC" --showme -O2 hello.c -o hello >command
contains command "-O2"
contains command "hello.c"
contains command "-lchorex"
contains command "-I"
[ ! -e hello ] || fail "--showme has compiled"
[ ! -e hello.chor.h ] || fail "--showme has written companions"
"$CHORCC" --showme:compile hello.c >compile
contains compile "-I"
lacks compile "-lchorex"
"$CHORCC" --showme:link hello.c >link
contains link "-lchorex"
# The printed flags are enough for another compiler.
"$CHORCC" --emit hello.c
gcc $("$CHORCC" --cflags) hello.c $("$CHORCC" --libs) -o hello
prints 42 ./hello
# Both at once, as with pkg-config.
gcc hello.c $("$CHORCC" --cflags --libs) -o both
prints 42 ./both
[ "$("$CHORCC" --libs --cflags)" = "$("$CHORCC" --cflags --libs)" ] || fail "the order matters"
status 2 "$CHORCC" --cflags --emit hello.c
status 2 "$CHORCC" --libs=nonsense
contains messages "--libs=net"
