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

cat >header.c <<'END'
#include <chorex.h>
choreography(header, (Alice, Bob),
    def run(Alice.const char *s) {
        Alice.(strlen(s)) ~> Bob.unsigned long n;
        Bob.(labs(-3) + n) ~> Alice._;
    }
)
#include "header.Alice.chor.h"
#include "header.Bob.chor.h"
int main(void) { return header_run(NULL, "abc"); }
END
status 1 "$CHORCC" header.c -o header
contains messages "for C's own 'labs', '#include <stdlib.h>' is missing above the choreography"
sed -i 's/labs(-3) + n/n/' header.c
status 1 "$CHORCC" header.c -o header
contains messages "for C's own 'strlen', '#include <string.h>' is missing above the choreography"

cat >itself.c <<'END'
#include <chorex.h>
choreography(itself, (Alice, Bob),
    def run(Alice.int n) {
        Alice.int m = m + n;
        Alice.m ~> Bob._;
    }
)
END
status 1 "$CHORCC" --emit itself.c
contains messages "itself.c:4:19: note: it comes into being here"
lacks messages "its block has ended"
