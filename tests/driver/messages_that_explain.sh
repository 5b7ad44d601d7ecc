# Notes say where something comes from and what to do; a use with a mistake in it is a use.
set -eu
. "$(dirname "$0")/common.bash"

cat >agreement.c <<'END'
#include <chorex.h>
choreography(agreement, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n ~> {Alice, Bob}.k;
        Alice.k = 3;
        if ({Alice, Bob}.(k > 0)) { Bob.act(); }
        if ({Alice, Bob}.(n > 0)) { Bob.act(); }
    }
)
END
status 1 "$CHORCC" --emit agreement.c
contains messages "agreement.c:5:15: note: Alice's 'k' gets a value of its own here"
contains messages "'Alice.n ~> {Alice, Bob}.n;'"

cat >used.c <<'END'
#include <chorex.h>
choreography(used, (Alice, Bob),
    def run(Alice.int n) { relay[Alice, Alice](Alice.n); }
    def relay[From, To](From.int x) { From.x ~> To._; }
)
END
status 1 "$CHORCC" --emit used.c
lacks messages "never used"
