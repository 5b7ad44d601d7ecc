# The program's own children, threads and signals: none of them meets those of the runtime.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
worker
DIE=1 timeout 100 ./worker ignored || fail "SIGCHLD ignored: exit status $?"
DIE=1 timeout 100 ./worker handled || fail "a handler of SIGCHLD: exit status $?"
timeout 100 ./worker waits || fail "wait(NULL): exit status $?"
timeout 100 ./worker threads || fail "threads: exit status $?"
soon "processes are left" nothing_runs

# A terminal's signal goes to all of its processes: what it means is the program's to say.
coproc PROGRAM { exec setsid env --default-signal=INT ./worker interrupted; }
# Bash forgets both when the program ends.
pid=$PROGRAM_PID
exec {output}<&"${PROGRAM[0]}"
soon "the roles do not start" roles_run
kill -INT -- "-$pid"
read -r line <&"$output" || line=nothing
[ "$line" = "goes on" ] || fail "after SIGINT: $line"
wait "$pid" || fail "after SIGINT: exit status $?"

# The terminal is gone: a program that does not care goes on with its roles, another ends with them.
# Whoever runs this test may have been told to ignore it.
setsid env --default-signal=HUP ./worker endless &
soon "the roles do not start" roles_run
kill -HUP -- "-$(named worker)"
soon "processes are left" nothing_runs
setsid nohup ./worker rounds 150000 >out 2>&1 &
soon "the roles do not start" roles_run
kill -HUP -- "-$(named worker)"
wait $! || fail "nohup: exit status $?"
contains out fine
soon "processes are left" nothing_runs
