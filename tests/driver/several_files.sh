# Several files and objects in one command; a header's block is compiled by each of them.
set -eu
. "$(dirname "$0")/common.bash"
pingpong
"$CHORCC" main.c ping.c pong.c -o program
prints 42 ./program
"$CHORCC" -c main.c ping.c pong.c
"$CHORCC" main.o ping.o pong.o -o second
prints 42 ./second
echo 'int unrelated(void) { return 1; }' >unrelated.c
"$CHORCC" main.c unrelated.c ping.o pong.c -lm -o third
prints 42 ./third
