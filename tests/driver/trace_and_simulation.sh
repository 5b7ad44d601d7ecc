# CHOREX_TRACE writes valid JSON; CHOREX_SIM repeats a run, crashes where it is told to, and refuses what it does not
# understand.
set -u
. "$(dirname "$0")/common.bash"

cat > trade.c <<'END'
#include <chorex.h>
#include <stdio.h>

choreography(trade, (Alice, Bob, Carol),
    def run(Alice.int n) -> Bob.int {
        Bob.int sum = 0;
        for (Alice.int i = 0; Alice.(i < n); Alice.i++) {
            Alice.i ~> Bob.x;
            Carol.(10) ~> Bob.y;
            Bob.sum += x + y;
        }
        return Bob.sum;
    }
)

#include "trade.Alice.chor.h"
#include "trade.Bob.chor.h"
#include "trade.Carol.chor.h"

int main(void)
{
    struct trade_run_result result;
    if (trade_run(&result, NULL, 5) != CHX_OK) {
        const chx_report *report = chx_last_report();
        printf("%s failed: %s, %d %d\n", report->role, report->why, report->kind == CHX_FAULT_SIGNAL, report->signal);
        return 1;
    }
    printf("%d\n", result.Bob);
    return 0;
}
END
"$CHORCC" -g trade.c -o trade || fail "trade.c does not compile"

# A trace of the real thing: valid JSON, each message at both ends, calls nested in one another.
CHOREX_TRACE=real.json ./trade > out || fail "it fails with a trace"
[ "$(cat out)" = 60 ] || fail "other output with a trace"
python3 - real.json <<'END' || fail "the trace is not in order"
import json, sys
events = json.load(open(sys.argv[1]))
sent = {e["bind_id"]: e for e in events if e.get("flow_out")}
taken = {e["bind_id"]: e for e in events if e.get("flow_in")}
assert len(sent) == 22 and sent.keys() == taken.keys(), (len(sent), len(taken))
for key, event in taken.items():
    assert event["args"]["site"] == sent[key]["args"]["site"]
    assert event["args"]["peer"] == sent[key]["args"]["role"]
    assert event["ts"] >= sent[key]["ts"]
for role in (1, 2, 3):
    depth = 0
    for event in events:
        if event.get("tid") == role:
            depth += {"B": 1, "E": -1}.get(event["ph"], 0)
            assert depth >= 0
    assert depth == 0
start = [e for e in events if e.get("cat") == "start"]
assert len(start) == 1 and len(start[0]["args"]["token"]) == 32 and start[0]["args"]["file"] == "trade.c"
assert [e["args"]["status"] for e in events if e.get("cat") == "end"] == ["success"]
END

# A file that can't be written is not a reason to fail.
CHOREX_TRACE=nowhere/trace.json ./trade > out 2> err || fail "it fails without a trace"
contains err "nowhere/trace.json can't be written"

# A full disk: said once, and the program goes on.
CHOREX_TRACE=/dev/full ./trade > out 2> err || fail "it fails with a trace on a full disk"
[ "$(grep -c 'the trace is not complete' err)" = 1 ] || fail "not one warning of a full disk: $(cat err)"
CHOREX_LOG=error CHOREX_TRACE=/dev/full ./trade > out 2> err || fail "it fails with a trace on a full disk"
[ ! -s err ] || fail "a warning that is not wanted: $(cat err)"

# A level that there is none of is said, not ignored.
CHOREX_LOG=loud ./trade > out 2> err || fail "it fails with a wrong CHOREX_LOG"
contains err "CHOREX_LOG=loud: it can be debug, info, warn, error or off"

# The same seed, the same trace; another seed, another one.
CHOREX_SIM=seed=1,delay=0..5ms CHOREX_TRACE=a.json ./trade > out || fail "seed 1 fails"
CHOREX_SIM=seed=1,delay=0..5ms CHOREX_TRACE=b.json ./trade > out || fail "seed 1 fails"
CHOREX_SIM=seed=2,delay=0..5ms CHOREX_TRACE=c.json ./trade > out || fail "seed 2 fails"
cmp a.json b.json || fail "one seed gives two traces"
cmp -s a.json c.json && fail "two seeds give one trace"

# A crash where it was asked for, and nowhere else.
CHOREX_SIM=seed=1,crash_at=Carol:2 CHOREX_TRACE=a.json ./trade > out && fail "no crash"
[ "$(cat out)" = "Carol failed: simulated crash, 1 9" ] || fail "not this crash: $(cat out)"
[ "$(grep -c '"cat":"fail"' a.json)" = 1 ] || fail "not one failure in the trace"
CHOREX_SIM=crash_at=Carol:1000 ./trade > out || fail "a crash that is never reached"
CHOREX_SIM=crash=1 ./trade > out && fail "no crash though it is certain"
CHOREX_SIM=max_steps=3 ./trade > out && fail "more than three steps"
contains out "max_steps=3"

for bad in seed 7 seed=x crash=2 crash_at=Carol delay=3 delay=2ms..1ms steps=3 seed=1,,crash=0; do
    CHOREX_SIM=$bad ./trade > out 2> err
    [ $? = 2 ] || fail "CHOREX_SIM=$bad does not end with status 2"
    contains err "chorex: CHOREX_SIM: "
done

# A role that the program does not have.
CHOREX_SIM=crash_at=Carol:1000+Nobody:3 ./trade > out 2> err
[ $? = 2 ] || fail "a crash of a role that is not there does not end with status 2"
[ "$(cat err)" = "chorex: CHOREX_SIM: crash_at: the program has no role 'Nobody'" ] || fail "not this message: $(cat err)"
[ -s out ] || fail "the output of the program is lost"

# A role of the program that no session has had is none of those.
cat > idle.c <<'END'
#include <chorex.h>
choreography(busy, (Alice, Bob), def run() { Alice.(1) ~> Bob._; })
choreography(idle, (Carol, Dave), def run() { Carol.(1) ~> Dave._; })
#include "busy.Alice.chor.h"
#include "busy.Bob.chor.h"
#include "idle.Carol.chor.h"
#include "idle.Dave.chor.h"
int main(void) { return busy_run(NULL); }
END
"$CHORCC" idle.c -o idle
CHOREX_SIM=crash_at=Carol:1 ./idle 2> err || fail "a crash of a role that is not in any session: $(cat err)"
