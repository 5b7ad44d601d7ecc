# When the program is killed with -9, no process of it is left: at work, at its start, with a dead or stopped zygote.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
worker

./worker endless &
soon "the roles do not start" roles_run
kill -9 $!
soon "processes are left" nothing_runs

for delay in 0 0.001 0.003 0.005 0.01 0.02 0.03; do
    ./worker endless &
    sleep $delay
    kill -9 $!
    soon "processes are left of a start" nothing_runs
done

# Roles that are stopped die too.
./worker endless &
soon "the roles do not start" roles_run
kill -STOP $(named worker_A) $(named worker_B)
kill -9 $!
soon "stopped processes are left" nothing_runs

# And with the zygote.
./worker endless &
soon "the roles do not start" roles_run
kill -9 $(named chorex-zygote) $!
soon "processes are left of a zygote" nothing_runs
