# Compiling from another folder: companions stand beside the source, include paths hold.
set -eu
. "$(dirname "$0")/common.bash"
mkdir -p src include build
cd src
pingpong
cd ..
mv src/pingpong.h include/
for file in main ping pong; do
    (cd build && "$CHORCC" -I../include -c ../src/$file.c -o $file.o)
done
[ -f include/pingpong.Ping.chor.h ] || fail "the companion does not stand beside the header that holds the choreography"
(cd build && "$CHORCC" main.o ping.o pong.o -o program)
prints 42 build/program
