# A thousand sessions leave no descriptor, no process and no zombie; a runtime that is freed takes its zygote along.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
worker

children()
{
    cat "/proc/$1/task/$1/children"
}
zygote_is_alone()
{
    [ -z "$(children "$(named chorex-zygote)")" ]
}
no_zygote()
{
    [ -z "$(named chorex-zygote)" ]
}
says()
{
    read -r line <&"${PROGRAM[0]}" || fail "the program has ended"
    [ "$line" = "$1" ] || fail "$line"
}

coproc PROGRAM { exec ./worker many; }
says waiting
soon "roles are left, or zombies" zygote_is_alone
[ "$(named chorex-zygote | wc -l)" = 1 ] || fail "there is more than one zygote"
[ -z "$(children "$PROGRAM_PID")" ] || fail "the program has children"
echo >&"${PROGRAM[1]}"
says freed
soon "the zygote is left" no_zygote
[ "$(running)" = "$PROGRAM_PID" ] || fail "something is left"
pid=$PROGRAM_PID
echo >&"${PROGRAM[1]}"
wait "$pid" || fail "exit status $?"

# One that orphans are handed down to.
./worker reaper || fail "a child was left, or a session failed"
soon "processes are left" nothing_runs
