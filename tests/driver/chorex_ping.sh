# chorex ping: who is at an address, without harm to the links of the node whose certificate it shows; and why nobody is.
set -eu
. "$(dirname "$0")/common.bash"
chorex=$(dirname "$CHORCC")/chorex
[ -x "$(dirname "$CHORCC")/chorex-ping" ] || { echo "chorex-ping is not built here"; exit 0; }
export CHOREX_LOG=error

# ---- a node that plays with another one meanwhile ----
cat >talk.c <<'END'
#include <chorex.h>
#include <stdio.h>
#include <unistd.h>
choreography(talk, (Left, Right),
    int Left.wait(int n);
    def run() -> Right.int {
        Right.int sum = 0;
        for (Left.int n = 0; Left.(n < 3); Left.n++) {
            Left.wait(n) ~> Right.n;
            Right.sum += n;
        }
        return Right.sum;
    }
)
#include "talk.Left.chor.h"
#include "talk.Right.chor.h"
// Each time a line is read from the standard input, after another one was written.
int Left_wait(int n)
{
    char line[8];
    printf("ready\n");
    fflush(stdout);
    return fgets(line, sizeof line, stdin) != NULL ? n + 1 : -100;
}
int main(void)
{
    struct talk_run_result r;
    if (talk_run(&r, NULL) != CHX_OK)
        return 1;
    printf("sum %d\n", r.Right);
    return 0;
}
END
"$CHORCC" talk.c $("$CHORCC" --cflags --libs=net) -o talk
mkfifo to from
timeout 100 "$chorex" run --keep kept --stdin Left ./talk <to >from 2>messages.run &
job=$!
exec 3>to 4<from
ready() { read -r line <&4; [ "$line" = ready ] || fail "'$line' instead of ready"; }
ready
echo go >&3
ready # so both know each other

# As Left, whose process is running, and as somebody else.
"$chorex" ping Right --config kept/Left.conf --count 3 >output || fail "Right is not found"
contains output "Right at 127.0.0.1:"
contains output "roles        talk/Right"
contains output "protocol     chorex/1"
grep -q 'digest       [0-9a-f]*  talk$' output || fail "no digest"
grep -q 'round trip   [0-9.]*/[0-9.]*/[0-9.]* ms (least/mean/most of 3)' output || fail "no times"
address=$(sed -n 's/^Right = \(127.*\)/\1/p' kept/Left.conf | head -n 1)
"$chorex" certs node guest --roles talk/Nobody --dir kept >output
sed 's/^name = .*/name = guest/; /^listen/d' kept/Left.conf >guest.conf
CHOREX_NODE=guest.conf "$chorex" ping "$address" --count 1 >output || fail "a guest does not find Right"
contains output "Right at $address"

# ---- why not ----
status 1 "$chorex" ping Left --config kept/Left.conf
contains messages "this is 'Left' itself"
status 1 "$chorex" ping 127.0.0.1:1 --config kept/Left.conf
contains messages "nobody listens at '127.0.0.1:1'"
status 2 "$chorex" ping somewhere --config kept/Left.conf
contains messages "nor is it a node of the configuration"
status 1 "$chorex" ping "$address"
contains messages "chorex.conf"
status 2 "$chorex" ping
status 2 "$chorex" ping "$address" --count many
# Somebody else's certificates.
"$chorex" certs init foreign >output
"$chorex" certs node Left --roles talk/Left --dir foreign >output
sed "s#^certs = .*#certs = foreign#" kept/Left.conf >foreign.conf
status 1 "$chorex" ping Right --config foreign.conf
contains messages "the certificate of 'Right' was signed by another authority than those in ca.pem"
# It is another one than the configuration says.
sed "s#^Right = 127#Wrong = 127#; s#^Right = Right#Right = Wrong#" kept/Left.conf >wrong.conf
status 1 "$chorex" ping Wrong --config wrong.conf
contains messages "'Right' is at the other end, not 'Wrong'"
# No certificate.
sed '/^name =/d; /^listen =/d' kept/Left.conf >nobody.conf
status 1 "$chorex" ping Right --config nobody.conf
contains messages "the other side wants a certificate, and this node has none"
# Something else than a node: it says something that is not TLS, or nothing at all.
python3 - >port <<'END' &
import socket, sys, time
said, mute = socket.socket(), socket.socket()
for s in (said, mute):
    s.bind(("127.0.0.1", 0))
    s.listen(5)
print(said.getsockname()[1], mute.getsockname()[1], flush=True)
said.settimeout(60)
c, _ = said.accept()
c.sendall(b"220 mail.example.org ESMTP\r\n")
c.recv(10000)
time.sleep(60)
END
server=$!
while [ ! -s port ]; do sleep 0.1; done
read -r said mute <port
status 1 "$chorex" ping "127.0.0.1:$said" --config kept/Left.conf
contains messages "it is not a node"
printf '\n[limits]\nhandshake = 1s\n' | cat kept/Left.conf - >hurry.conf
status 1 "$chorex" ping "127.0.0.1:$mute" --config hurry.conf
contains messages "127.0.0.1:$mute: "
kill $server

# ---- nobody has minded ----
echo go >&3
ready
echo go >&3
[ "$(sort <&4 | xargs)" = "sum 0 sum 6" ] || { cat messages.run; fail "the session was disturbed"; }
wait $job || fail "the run has failed"
