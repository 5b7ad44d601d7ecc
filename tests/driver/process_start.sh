# The program finds itself however it was started, and when its file is gone or another by now.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
worker
mkdir sub "with space"
cp worker "with space/the worker"
ln -s ../worker sub/link
prints fine ./worker
prints fine sub/../worker
prints fine sub/link
prints fine "with space/the worker"
prints fine "$PWD/worker"
PATH=$PWD:$PATH prints fine env worker
(cd sub && PATH=..:$PATH prints fine env worker)
(cd / && prints fine "$OLDPWD/worker")
prints fine bash -c 'exec -a "another name" ./worker'
prints fine bash -c 'exec -a "" ./worker'
prints fine env -i ./worker

# Deleted, and replaced by something else, before the first isolated role.
for way in delete replace rename; do
    cp worker other
    coproc PROGRAM { exec ./other replaced; }
    read -r line <&"${PROGRAM[0]}"
    [ "$line" = ready ] || fail "$line"
    case $way in
    delete) rm other ;;
    replace) cp /bin/true true && mv -f true other ;;
    rename) mv other elsewhere ;;
    esac
    pid=$PROGRAM_PID
    echo >&"${PROGRAM[1]}"
    read -r line <&"${PROGRAM[0]}" || line="nothing"
    [ "$line" = fine ] || fail "$way: $line"
    wait "$pid" || fail "$way: exit status $?"
done
soon "processes are left" nothing_runs
