# chorex top: where the roles of a running program wait; off unless asked for; and nobody who connects can do harm.
set -eu
. "$(dirname "$0")/common.bash"
chorex=$(dirname "$CHORCC")/chorex
export CHOREX_LOG=warn
unset XDG_RUNTIME_DIR CHOREX_TOP

cat >waits.c <<'END'
#include <chorex.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

choreography(waits, (Alice, Bob, Carol, Dave),
    int Alice.read_line();
    int Dave.note(int n);
    void Carol.see(int n);

    def run() -> Bob.int {
        Dave.int noted = 0;
        Alice.read_line() ~> Bob.n;
        checkpoint {
            Bob.n ~> Carol.n;
            Carol.see(n);
            Dave.noted = note(1);
        } rescue {
        }
        Dave.noted ~> Bob.noted;
        return Bob.(n + noted);
    }
)
#include "waits.Alice.chor.h"
#include "waits.Bob.chor.h"
#include "waits.Carol.chor.h"
#include "waits.Dave.chor.h"

// Waits for the standard input without a thread.
static int Alice_read_line(void)
{
    char byte;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&input, 1, 0) == 0)
        chx_again_when(STDIN_FILENO, POLLIN);
    return read(STDIN_FILENO, &byte, 1) == 1 ? byte : 0;
}

static int Dave_note(int n)
{
    return n;
}

static void Carol_see(int n)
{
    (void)n;
}

int main(void)
{
    struct waits_run_result result;
    chx_session *session = waits_run_start(NULL, NULL);
    printf("ready\n");
    fflush(stdout);
    if (waits_run_wait(session, &result) != CHX_OK)
        return 1;
    printf("%c\n", result.Bob);
    return 0;
}
END
"$CHORCC" waits.c -o waits
line_of() { grep -nF -- "$1" waits.c | head -n 1 | cut -d: -f1; }
mkfifo to from

# begin [VARIABLE=VALUE...]: the program, as $job
begin()
{
    env "$@" ./waits <to >from 2>said &
    job=$!
    exec 3>to 4<from
    read -r line <&4
    [ "$line" = ready ] || fail "'$line' instead of ready"
}
# It has waited for an A all the time: then it prints a B.
finish()
{
    printf A >&3
    read -r line <&4
    [ "$line" = B ] || fail "'$line' instead of B"
    wait "$job" || { cat said; fail "the program has failed"; }
    exec 3>&- 4<&-
    [ ! -s said ] || { cat said; fail "the program complains"; }
}
# shows FILE TEXT...: roles take a moment until they wait
shows()
{
    local try
    for try in $(seq 100); do
        "$chorex" top "$1" --once >output || fail "no answer"
        if python3 - "${@:2}" <<'END'
import sys
text = open("output").read()
sys.exit(any(wanted not in text for wanted in sys.argv[1:]))
END
        then return; fi
        sleep 0.1
    done
    cat output
    fail "not shown: ${*:2}"
}

# ---- off by default ----
begin
status 1 "$chorex" top $job --once
contains messages "process $job was not started with CHOREX_TOP=1"
[ "$(find /proc/$job/fd -lname 'socket:*' | wc -l)" = 0 ] || fail "it has a socket although nobody has asked"
finish

# ---- where they wait ----
begin CHOREX_TOP="$PWD/socket"
shows $job "waits, process $job: 1 sessions, 1 begun, 0 ended" \
    "  Alice           waits.c:$(line_of 'Alice.read_line() ~>'), waits for descriptor 0" \
    "  Bob             waits.c:$(line_of 'Alice.read_line() ~>'), waits for a message from Alice" \
    "  Carol           waits.c:$(line_of 'Bob.n ~> Carol.n'), waits for a message from Bob" \
    "  Dave            waits.c:$(line_of 'checkpoint {'), waits for the other roles of a block"
contains output " waits.run "
shows socket "  Carol           waits.c:"
"$chorex" top socket --once --json >output
python3 - <<'END'
import json
answer = json.load(open("output"))
session, = answer["list"]
assert answer["sessions"] == 1 and session["choreography"] == "waits" and session["role_count"] == 4, answer
assert [role["role"] for role in session["roles"]] == ["Alice", "Bob", "Carol", "Dave"], answer
assert all(role["is"] == "waits" and role["function"] == "run" and role["line"] > 0 for role in session["roles"]), answer
END
[ "$(stat -c %a socket)" = 600 ] || fail "others may connect"

# Somebody who disturbs, while others ask: garbage, a long line, nothing, silence, a connection that is not read, very many.
cat >disturb.py <<'END'
import os, socket, subprocess, sys
def dial():
    s = socket.socket(socket.AF_UNIX)
    s.connect("socket") # waits while very many are in front of it
    s.settimeout(20)
    return s
def answer(request):
    s = dial()
    try:
        s.sendall(request)
        data = b""
        while True:
            piece = s.recv(65536)
            if not piece:
                return data
            data += piece
    except (BrokenPipeError, ConnectionResetError):
        return b""
good = b"chorex-top 1 50\n"
assert answer(good).endswith(b"end\n")
for wrong in (b"\n", b"GET / HTTP/1.0\r\n\r\n", os.urandom(100).replace(b"\n", b"x") + b"\n", b"x" * 1000000, b"chorex-top 2 50\n",
              b"chorex-top 1 50 more\n", b"chorex-top 1 -1\n\0", b"chorex-top 1 99999999999999999999\n", b"\0" * 127):
    assert answer(wrong) == b"", wrong
assert answer(b"chorex-top 1 999999999\n").endswith(b"end\n")
assert b"session" not in answer(b"chorex-top 1 0\n")
for _ in range(300):
    dial().close()
# They say nothing, or ask and do not read: others are answered when their time is over.
silent = [dial() for _ in range(8)]
unread = [dial() for _ in range(8)]
for s in unread:
    s.sendall(good)
assert answer(good).endswith(b"end\n")
for s in silent:
    assert s.recv(1) == b""
END
python3 disturb.py || fail "disturbed"
shows $job "waits for the other roles of a block"
finish
[ ! -e socket ] || fail "the socket is left behind"

# ---- by number, in a folder that is this user's alone; and a socket that was left behind ----
mkdir run
begin CHOREX_TOP=1 XDG_RUNTIME_DIR="$PWD/run"
[ -S run/chorex-top-$job ] || fail "no socket in XDG_RUNTIME_DIR"
shows $job "waits for descriptor 0"
kill -9 $job
wait $job || true
exec 3>&- 4<&-
status 1 "$chorex" top run/chorex-top-$job --once
contains messages "the program has ended"
begin CHOREX_TOP="$PWD/run/chorex-top-$job"
shows $job "waits for descriptor 0"
# A second program with the same socket leaves it alone, says so and goes on.
printf A | env CHOREX_TOP="$PWD/run/$(ls run)" ./waits >output 2>messages || fail "it does not run without a socket"
contains output B
contains messages "CHOREX_TOP: nobody can listen at"
shows $job "waits for descriptor 0"
finish
begin CHOREX_TOP=1
[ "$(stat -c %a "/tmp/chorex-$(id -u)")" = 700 ] || fail "the folder is open to others"
shows $job "waits for descriptor 0"
finish
[ ! -e "/tmp/chorex-$(id -u)/top-$job" ] || fail "the socket is left behind"

# ---- why not ----
status 1 "$chorex" top $job --once
contains messages "there is no process $job"
status 1 "$chorex" top nowhere --once
contains messages "there is no socket at nowhere: the number of a process is wanted"
status 2 "$chorex" top
status 2 "$chorex" top 1 --sessions 0
status 2 "$chorex" top 1 --what

# ---- in a terminal: 80 columns, 24 lines; q ends it, and an interruption; the terminal is as before ----
begin CHOREX_TOP="$PWD/socket"
cat >terminal.py <<'END'
import fcntl, os, pty, select, signal, struct, subprocess, sys, termios, time
for end in (b"q", b"\x03"):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = termios.tcgetattr(slave)
    child = subprocess.Popen([sys.argv[1], "top", "socket"], stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                             preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    seen, until = b"", time.time() + 60
    while (b"per second:" not in seen or seen.count(b"Dave") < 2) and time.time() < until:
        if select.select([master], [], [], 1)[0]:
            seen += os.read(master, 65536)
    assert b"per second:" in seen, seen
    for screen in seen.split(b"\x1b[H\x1b[2J")[1:]:
        lines = screen.split(b"\r\n")
        assert len(lines) <= 24 and all(len(line) <= 80 for line in lines if b"\x1b" not in line), lines
    os.write(master, end)
    while b"\x1b[?1049l" not in seen and time.time() < until:
        if select.select([master], [], [], 1)[0]:
            seen += os.read(master, 65536)
    assert b"\x1b[?25h\x1b[?1049l" in seen, seen
    assert child.wait(60) == 0, child.returncode
    assert termios.tcgetattr(slave) == before
END
python3 terminal.py "$chorex" || fail "not as it should be in a terminal"
finish

# ---- sessions that talk, fail, go back and wait for a time are asked all the time, and do what they do without that ----
cat >busy.c <<'END'
#include <chorex.h>
#include <stdio.h>

choreography(busy, (Left, Right, Third),
    int Left.work(int n);
    int Right.work(int n);
    int Third.rest(int n);

    def run(Left.int rounds) -> Left.int {
        Left.int sum = 0;
        for (Left.int n = 0; Left.(n < rounds); Left.n++) {
            checkpoint {
                Left.work(n) ~> Right.m;
                Right.work(m) ~> Left.got;
                Left.sum += got;
            } rescue {
                Left.sum += 1;
            }
            for (Left.int i = 0; Left.(i < 50); Left.i++) {
                Left.i ~> Right.i;
                Right.(i * 2) ~> Left.doubled;
                Left.sum += doubled - 2 * i;
            }
            Left.n ~> Third.n;
            Third.rest(n) ~> Left.rested;
            Left.sum += rested - n;
        }
        return Left.sum;
    }
)
#include "busy.Left.chor.h"
#include "busy.Right.chor.h"
#include "busy.Third.chor.h"

static int Left_work(int n)
{
    return n;
}

static int Right_work(int n)
{
    if (n % 3 == 2)
        chx_fail("no");
    return 1;
}

// Now and then a moment later.
static int Third_rest(int n)
{
    static _Thread_local unsigned calls;
    if (++calls % 4 == 0)
        chx_again_after(100000);
    return n;
}

enum { SESSIONS = 40, BATCHES = 6, ROUNDS = 30 };

int main(void)
{
    for (int batch = 0; batch < BATCHES; batch++) {
        chx_session *sessions[SESSIONS];
        struct busy_run_result result;
        for (int i = 0; i < SESSIONS; i++)
            if ((sessions[i] = busy_run_start(NULL, NULL, ROUNDS)) == NULL)
                return 1;
        for (int i = 0; i < SESSIONS; i++)
            if (busy_run_wait(sessions[i], &result) != CHX_OK || result.Left != ROUNDS) {
                printf("%d: %s\n", result.Left, chx_last_report()->why);
                return 1;
            }
    }
    printf("done\n");
    return 0;
}
END
"$CHORCC" busy.c -o busy
cat >ask.py <<'END'
import os, socket, subprocess, sys, time
env = dict(os.environ, CHOREX_TOP=os.path.abspath("busy.socket"))
program = subprocess.Popen(sys.argv[1:], env=env, stdout=subprocess.PIPE)
count, waits, until = 0, 0, time.time() + 300
while program.poll() is None:
    assert time.time() < until, "it hangs"
    try:
        s = socket.socket(socket.AF_UNIX)
        s.connect("busy.socket")
        s.sendall(b"chorex-top 1 200\n")
        data = b""
        while True:
            piece = s.recv(65536)
            if not piece:
                break
            data += piece
        s.close()
    except OSError:
        continue
    count += data.endswith(b"end\n")
    waits += data.count(b"\twaits\t")
assert program.stdout.read() == b"done\n" and program.returncode == 0, program.returncode
assert count > 0 and waits > 0
END
python3 ask.py ./busy || fail "sessions are disturbed by who looks at them"
CHOREX_ISOLATION=process python3 - <<'END' || fail "roles in processes are not shown"
import os, socket, subprocess
program = subprocess.Popen(["./waits"], env=dict(os.environ, CHOREX_TOP=os.path.abspath("socket")), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
assert program.stdout.readline() == b"ready\n"
s = socket.socket(socket.AF_UNIX)
s.connect("socket")
s.sendall(b"chorex-top 1 50\n")
data = b"".join(iter(lambda: s.recv(65536), b""))
assert data.count(b"\tprocess\t") == 4, data
out, _ = program.communicate(b"A")
assert out == b"B\n", out
END
