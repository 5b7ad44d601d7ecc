# --central writes the choreography as one sequential program that prints the same.
set -eu
. "$(dirname "$0")/common.bash"
hello
"$CHORCC" --central hello hello.c >central.c
lacks central.c '#include "hello.Alice.chor.h"'
gcc -w $("$CHORCC" --cflags) central.c $("$CHORCC" --libs) -o central
prints 42 ./central
"$CHORCC" --central hello hello.c -o other.c
cmp central.c other.c
status 1 "$CHORCC" --central nothing hello.c
contains messages "nothing"
