# -shared and -fPIC: roles in a shared library are found by the program that links it.
set -eu
. "$(dirname "$0")/common.bash"
pingpong
"$CHORCC" -fPIC -shared pong.c -o libpong.so
"$CHORCC" main.c ping.c -L. -lpong -Wl,-rpath,"$PWD" -Wl,--no-as-needed -o program
prints 42 ./program
