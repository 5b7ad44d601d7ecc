# make -j: several chorcc write the same companions at once.
set -eu
. "$(dirname "$0")/common.bash"
unset MAKEFLAGS MAKELEVEL
pingpong
cat >Makefile <<'END'
CC = $(CHORCC)
CFLAGS = -MMD -O1
program: main.o ping.o pong.o
	$(CC) $^ -o $@
-include main.d ping.d pong.d
END
for round in 1 2 3; do
    rm -f ./*.o ./*.d ./*.chor.h program
    make -s -j4 >log 2>&1 || { cat log >&2; fail "make, round $round"; }
    prints 42 ./program
done
make -j4 >log 2>&1
contains log "up to date"
ls -a | grep -E 'tmp|~$|chor\.h\.' && fail "something is left over"
exit 0
