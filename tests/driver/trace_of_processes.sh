#!/bin/bash
# A trace shows what roles in processes of their own do: each message at both ends, a death, the new process.
set -eu
. "$(dirname "$0")/common.bash"

"$CHORCC" "$(dirname "$0")/../../examples/05-rescue/rescue.c" --emit-dir=. -o rescue
CHOREX_ISOLATION=process CHOREX_TRACE=trace.json ./rescue >out
python3 - trace.json <<'END' || fail "the trace is not as it should be"
import collections, json, sys

events = [event for event in json.load(open(sys.argv[1])) if event.get("args")]
kinds = collections.Counter((event.get("cat"), event["args"].get("role")) for event in events)
sent = collections.Counter(event["bind_id"] for event in events if event.get("flow_out"))
received = collections.Counter(event["bind_id"] for event in events if event.get("flow_in"))
assert kinds["fail", "Sensor"] == 1 and kinds["restart", "Sensor"] == 1, kinds
assert kinds["recover", "Thermostat"] == 1, kinds
assert kinds["enter", "Sensor"] == kinds["arrive", "Sensor"] == kinds["leave", "Sensor"] == 5, kinds
assert len({event["pid"] for event in events if event["args"].get("role")}) == 1, events
assert received and not received - sent and max(received.values()) == 1, (sent, received)
assert kinds["call", "Sensor"] == kinds["return", "Sensor"] == 1, kinds
why = [event["args"]["why"] for event in events if event.get("cat") in ("fail", "restart", "recover")]
assert set(why) == {"SIGSEGV (segmentation fault)"}, why
END

# A role that fails by itself fails once.
cat >fail.c <<'END'
#include <chorex.h>

choreography(fail, (Alice, Bob),
    void Alice.fail(void);
    def run() {
        checkpoint {
            Bob.(1) ~> Alice._;
            Alice.fail();
        } rescue {
            Alice.(1) ~> Bob._;
        }
    }
)

#include "fail.Alice.chor.h"
#include "fail.Bob.chor.h"

void Alice_fail(void) { chx_fail("by itself"); }

int main(void) { return fail_run(NULL) != CHX_OK; }
END
"$CHORCC" fail.c -o fail
CHOREX_ISOLATION=process CHOREX_TRACE=fail.json ./fail
[ "$(grep -c '"cat":"fail"' fail.json)" -eq 1 ] || { cat fail.json; fail "not one failure"; }
