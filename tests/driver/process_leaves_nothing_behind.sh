# A thousand sessions leave no descriptor, no process and no zombie; a runtime that is freed takes its nursery along.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
worker

children()
{
    cat "/proc/$1/task/$1/children"
}
nursery_is_alone()
{
    [ -z "$(children "$(named chorex-nursery)")" ]
}
no_nursery()
{
    [ -z "$(named chorex-nursery)" ]
}
says()
{
    read -r line <&"${PROGRAM[0]}" || fail "the program has ended"
    [ "$line" = "$1" ] || fail "$line"
}

coproc PROGRAM { exec ./worker many; }
says waiting
soon "roles are left, or zombies" nursery_is_alone
[ "$(named chorex-nursery | wc -l)" = 1 ] || fail "there is more than one nursery"
[ -z "$(children "$PROGRAM_PID")" ] || fail "the program has children"
echo >&"${PROGRAM[1]}"
says freed
soon "the nursery is left" no_nursery
[ "$(running)" = "$PROGRAM_PID" ] || fail "something is left"
pid=$PROGRAM_PID
echo >&"${PROGRAM[1]}"
wait "$pid" || fail "exit status $?"

# One that orphans are handed down to.
./worker reaper || fail "a child was left, or a session failed"
soon "processes are left" nothing_runs
