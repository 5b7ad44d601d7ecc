# A program that is started without standard streams: their numbers are not taken by what the runtime opens.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
worker
export SAY=1
for i in 1 2 3; do
    ./worker <&- >out 2>err || fail "without standard input: exit status $? $(cat err)"
    [ "$(tr '\n' ' ' <out)" = "B: 3 B: 2 B: 1 fine " ] || fail "without standard input: $(cat out)"
    ./worker >&- || fail "without standard output: exit status $?"
    ./worker 2>&- || fail "without standard error: exit status $?"
    ./worker <&- >&- || fail "without input and output: exit status $?"
    ./worker <&- 2>&- || fail "without input and error: exit status $?"
    ./worker >&- 2>&- || fail "without output and error: exit status $?"
    ./worker <&- >&- 2>&- || fail "without any: exit status $?"
    ./worker <&- >&- 2>&- 3<&- 4<&- 5<&- || fail "without any: exit status $?"
done
./worker many <&- >&- 2>&- || fail "many without any: exit status $?"
# What the program prints meanwhile does not go to its roles or their zygote.
SAY_HERE=1 ./worker <&- >&- 2>&- || fail "printing to none: exit status $?"
SAY_HERE=1 ./worker >&- 2>&- || fail "printing to none: exit status $?"
SAY_HERE=1 ./worker 2>&- >out || fail "printing to one: exit status $?"
# Numbers that the zygote uses itself, in use by the program.
./worker 3</dev/null 4</dev/null 5</dev/null 6</dev/null 7</dev/null || fail "exit status $?"
soon "processes are left" nothing_runs
