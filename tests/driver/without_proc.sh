# Where /proc is not mounted, as in a bare chroot: both chorcc and programs with isolated roles say what is missing.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
# Only root may hide it; elsewhere there is nothing to test.
unshare -m mount -t tmpfs none /proc 2>/dev/null || exit 0
worker
hello
hidden()
{
    unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$@"
}
status 2 hidden "$CHORCC" hello.c -o hello
contains messages "say it with CHORCC_PREFIX"
prefix=$(dirname "$(dirname "$CHORCC")")
status 0 hidden env CHORCC_PREFIX="$prefix" "$CHORCC" hello.c -o hello
prints 42 hidden ./hello
status 1 hidden ./worker
contains messages "processes can't be started: there is no /proc/self/exe"
