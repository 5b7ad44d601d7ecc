# chorex run: a process for each role, here, on hosts of a configuration and through ssh; one that fails, and one that is started again.
set -eu
. "$(dirname "$0")/common.bash"
chorex=$(dirname "$CHORCC")/chorex
[ -x "$(dirname "$CHORCC")/chorex-run" ] || { echo "chorex-run is not built here"; exit 0; }
export TMPDIR=$PWD CHOREX_LOG=error
libraries=$("$CHORCC" --cflags --libs=net)
# The others are told when a process ends, and need not be waited for.
limits=keepalive=500ms,hold=2s,suspect=4s,absent=20s
run() { timeout 100 "$chorex" run --set $limits "$@"; }

# ---- what a program says about itself ----
pingpong
"$CHORCC" ping.c pong.c main.c $libraries -o pingpong
prints 42 ./pingpong
CHOREX_DESCRIBE=1 ./pingpong >output
contains output "chorex-describe-1 "
contains output "net yes"
grep -q '^role pingpong Ping 0 pingpong_Ping [0-9a-f]\{16\} ' output || fail "it does not say that it has Ping"
grep -q '^role pingpong Pong 1 pingpong_Pong [0-9a-f]\{16\} ' output || fail "it does not say that it has Pong"
[ "$(tail -n 1 output)" = end ] || fail "it does not say that this is all"
[ "$(CHOREX_DESCRIBE=yes ./pingpong)" = 42 ] || fail "it was not asked, and does not run"

# ---- every role a process here ----
run ./pingpong >output 2>messages || fail "it fails"
[ "$(sort output | xargs)" = "0 42" ] || fail "other output: $(cat output)"
run --prefix --verbose ./pingpong >output 2>messages
contains output "Ping: 42"
contains output "Pong: 0"
contains messages "chorex run: Pong: node Pong at 127.0.0.1:"
run --chaos cut=5/s,split=20% ./pingpong >output 2>messages
tail -n 1 messages | grep -q '^chaos: [0-9]* connections' || fail "it does not say what was done to connections"
[ -z "$(ls -d chorex-run-* 2>/dev/null)" ] || fail "files of a run are left"
run --keep kept ./pingpong >output
[ -f kept/Ping.conf ] && [ -f kept/Ping.key ] || fail "configurations and certificates were not kept"
contains kept/Pong.conf "Ping = Ping"

# ---- mistakes ----
status 1 "$chorex" run ./nothing
contains messages "'./nothing': No such file"
"$CHORCC" ping.c pong.c main.c -o alone
status 1 "$chorex" run ./alone
contains messages "is not linked with libchorex-net: compile it with: chorcc"
# A program that is none of ours is not started.
cat >other.c <<'END'
#include <stdio.h>
int main(void) { fclose(fopen("started", "w")); return 0; }
END
cc other.c -o other
status 1 "$chorex" run ./other
contains messages "has no choreography"
[ ! -e started ] || fail "another program was started"
status 2 "$chorex" run
status 2 "$chorex" run --nonsense ./pingpong
status 2 "$chorex" run --ssh ./pingpong
status 2 "$chorex" run --stdin Nobody ./pingpong
status 1 "$chorex" run --chaos cut=often ./pingpong
contains messages "a rate as 10/s is wanted"
status 1 "$chorex" run --set suspect=soon ./pingpong
contains messages "suspect"

# ---- hosts of a configuration ----
"$chorex" certs init ca >output
"$chorex" certs node left --roles pingpong/Ping --dir ca >output
"$chorex" certs node right --roles pingpong/Pong --dir ca >output
ports=$(python3 -c 'import socket; s = [socket.socket() for i in (1, 2)]; [x.bind(("127.0.0.1", 0)) for x in s]; print(*[x.getsockname()[1] for x in s])')
cat >hosts.conf <<END
[node]
certs = $PWD/ca
[nodes]
left = 127.0.0.1:${ports% *}
right = localhost:${ports#* }
[pingpong]
Ping = left
Pong = right
END
run --hosts hosts.conf --prefix ./pingpong >output 2>messages || fail "it fails with --hosts"
contains output "Ping: 42"
contains output "Pong: 0"
sed 's/localhost/192.0.2.7/; s/Ping = left/Ping = right/; s/Pong = right/Pong = right/' hosts.conf >far.conf
status 1 "$chorex" run --hosts far.conf ./pingpong
contains messages "no node that plays a role is on this host"
sed 's/Pong = right/Pung = right/' hosts.conf >wrong.conf
status 1 "$chorex" run --hosts wrong.conf ./pingpong
contains messages "pingpong has no role Pung"
sed '/Pong = right/d' hosts.conf >wrong.conf
status 1 "$chorex" run --hosts wrong.conf ./pingpong
contains messages "nobody plays Pong of pingpong"

# The same by hand: the roles say which node it is.
CHOREX_NODE=hosts.conf CHOREX_ROLES=Pong timeout 100 ./pingpong >pong 2>messages &
prints 42 env CHOREX_NODE=hosts.conf CHOREX_ROLES=Ping timeout 100 ./pingpong
wait $! || fail "Pong fails"
[ "$(cat pong)" = 0 ] || fail "other output: $(cat pong)"

# Roles that nobody plays, and that there are not.
printf '\n[limits]\nkeepalive=200ms hold=500ms suspect=1s absent=1s\n' | cat hosts.conf - >hurry.conf
sed 's/return 1;/return puts(chx_last_report()->why), 1;/' main.c >said.c
"$CHORCC" ping.c pong.c said.c $libraries -o said
status 1 env CHOREX_NODE=hurry.conf CHOREX_ROLES=Ping timeout 100 ./said
contains output "refused by left: nobody has come to play Pong"
status 1 env CHOREX_NODE=hosts.conf CHOREX_ROLES=Pung timeout 100 ./said
contains output 'CHOREX_ROLES ("Pung") names no role'

# ---- through ssh ----
mkdir bin
cat >bin/ssh <<'END'
#!/bin/sh
[ "$1" = -T ] || exit 9
echo "$2" >>hosts-called
shift 2
exec sh -c "$*"
END
chmod +x bin/ssh
PATH=$PWD/bin:$PATH run --hosts hosts.conf --ssh --prefix ./pingpong >output 2>messages || fail "it fails with --ssh"
contains output "Ping: 42"
[ "$(sort hosts-called | xargs)" = "127.0.0.1 localhost" ] || fail "other hosts were called: $(cat hosts-called)"

# ---- processes that fail ----
cat >weak.c <<'END'
#include <chorex.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
choreography(weak, (Home, Weak),
    int Weak.work(int n);
    def run() -> Home.int {
        Home.int n = 1;
        checkpoint retry 5 {
            Home.n ~> Weak.k;
            Weak.work(k) ~> Home.m;
            Home.n = n + m;
        }
        return Home.n;
    }
)
#include "weak.Home.chor.h"
#include "weak.Weak.chor.h"
// The first process dies here, the second one does not.
int Weak_work(int n)
{
    if (open("was_here", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
        raise(SIGKILL);
    return n + 40;
}
int main(void)
{
    struct weak_run_result r;
    if (weak_run(&r, NULL) != CHX_OK)
        return 3;
    printf("%d\n", r.Home);
    return 0;
}
END
"$CHORCC" weak.c $libraries -o weak
status 137 run --grace 0.1 ./weak
contains messages "Weak was ended by signal 9"
contains messages "the others are ended"
rm was_here
run --restart --prefix ./weak >output 2>messages || { cat messages; fail "it fails although a process is started again"; }
contains output "Home: 42"
contains messages "Weak is started again"

# ---- signals ----
cat >slow.c <<'END'
#include <chorex.h>
#include <unistd.h>
choreography(slow, (One, Two),
    void One.wait(void);
    def run() { One.wait(); }
)
#include "slow.One.chor.h"
#include "slow.Two.chor.h"
void One_wait(void) { (void)!write(1, "begun\n", 6); for (;;) pause(); }
int main(void) { return slow_run(NULL) != CHX_OK; }
END
"$CHORCC" slow.c $libraries -o slow
mkfifo pipe
"$chorex" run ./slow >pipe 2>messages &
job=$!
read -r line <pipe
[ "$line" = begun ] || fail "it has not begun"
children=$(ps -o pid= --ppid $job)
kill -TERM $job
got=0
wait $job || got=$?
[ $got -eq 143 ] || fail "SIGTERM: exit status $got"
for child in $children; do
    ! kill -0 "$child" 2>/dev/null || fail "a process was left"
done
[ -z "$(ls -d chorex-run-* 2>/dev/null)" ] || fail "files of a run are left"
