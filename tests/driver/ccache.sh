# Under ccache: the second compilation is a hit, a changed choreography is not.
set -eu
. "$(dirname "$0")/common.bash"
command -v ccache >/dev/null || fail "ccache is not installed"
export CCACHE_DIR=$WORK/cache CCACHE_NODIRECT=
unset CCACHE_NODIRECT CCACHE_DISABLE
hello
ccache -z >/dev/null
ccache "$CHORCC" -c hello.c -o one.o
ccache "$CHORCC" -c hello.c -o two.o
ccache -s -v >statistics
grep -Eiq 'hits: *[1-9]|cache hit.*[1-9]' statistics || { cat statistics >&2; fail "no hit"; }
cmp one.o two.o
"$CHORCC" two.o -o hello
prints 42 ./hello
sleep 1.1
sed -i 's/y + 1/y + 2/' hello.c
ccache "$CHORCC" -c hello.c -o three.o
"$CHORCC" three.o -o hello
prints 43 ./hello
# The compiler behind may be ccache as well.
CHORCC_CC="ccache gcc" "$CHORCC" hello.c -o hello
prints 43 ./hello
