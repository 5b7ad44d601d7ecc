# A program with rights that its user does not have starts no other process, trusts no variable, and writes no trace; one that
# has given up rights does not get them back for its roles.
set -eu
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/processes.bash"
. "$(dirname "$0")/main_once.bash"
if ! may_be_nobody; then
    echo "skipped: only root can make such programs"
    exit 0
fi
work
program plain main.c work.c
once "result 42" ./nobody ./plain
chmod 711 plain
once "result 42" ./nobody ./plain

is_secure() { ./nobody "$1" secure; }
more="the program has rights that its user does not have"

# What is told apart by who may start it.
try()
{
    if ! is_secure "$1"; then
        echo "not tested here: $2"
        return
    fi
    once "$refused$more" ./nobody "$1"
    once "result -42" ./nobody env THREADS=1 CHOREX_ISOLATION=process CHOREX_SIM=nonsense CHOREX_LOG=nonsense \
        CHOREX_TRACE="$PWD/trace" "$1"
    [ ! -e trace ] || fail "$2: a trace was written"
    lacks err CHOREX
    # Somebody else's helper.
    once "$refused$more" ./nobody env CHOREX_NURSERY=program "$1"
}
cp plain setuid
chmod 4755 setuid
try ./setuid "set-user-ID"
cp plain setgid
chmod 2755 setgid
try ./setgid "set-group-ID"
if command -v setcap >/dev/null && cp plain capable && setcap cap_net_raw+ep capable 2>/dev/null; then
    try ./capable "capabilities"
else
    echo "not tested here: capabilities"
fi

# Root starts it: it has no more rights than root has. Once it has given them up, the same file would give them back.
once "result 42" ./setuid
once "${refused}its file is set-user-ID: started once more" ./setuid drop
once "${refused}the program's effective user or group is not its real one" ./plain effective
chmod 755 plain
once "result 42" ./plain drop

# The program may not be executed any more.
if unshare -m true 2>/dev/null; then
    mkdir mounted
    cp plain mounted/program
    cat >noexec.py <<'END_OF_SCRIPT'
import subprocess, sys
subprocess.check_call(["mount", "--bind", "mounted", "mounted"])
program = subprocess.Popen(["mounted/program", "pause"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
program.stdout.readline()
subprocess.check_call(["mount", "-o", "remount,bind,noexec", "mounted"])
sys.stdout.write(program.communicate(b"\n")[0].decode())
END_OF_SCRIPT
    once "status 3: processes can't be started: Permission denied" unshare -m "$(command -v python3)" noexec.py
fi
