# The nursery dies in the middle, again and again: there is a new one, and the roles go on from their checkpoints.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
worker
CHOREX_LOG=error ./worker rounds 20000 >out &
pid=$!
roles_run_or_over()
{
    roles_run || ! kill -0 $pid 2>/dev/null
}
for i in 1 2 3 4 5; do
    soon "the roles do not start" roles_run_or_over
    # In a block, most of the time; if not, the session fails, which is right too.
    kill -9 $(named chorex-nursery) 2>/dev/null || true
    kill -0 $pid 2>/dev/null || break
done
status=0
wait $pid || status=$?
[ $status -eq 0 ] || [ $status -eq 1 ] || fail "exit status $status"
soon "processes are left" nothing_runs
