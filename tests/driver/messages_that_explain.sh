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

# Another role's value in local C.
cat >foreign.c <<'END'
#include <chorex.h>
choreography(foreign, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        Bob.int k = 1 + Alice.get(n);
        return Bob.(f(Alice.n) + k);
    }
)
END
status 1 "$CHORCC" --emit foreign.c
contains messages "foreign.c:4:25: error: this is Alice's, not Bob's"
contains messages "note: a delivery before this brings its value: 'Alice.get(...) ~> Bob.x;', and then 'x' is enough"
contains messages "foreign.c:5:23: error: 'n' is Alice's, not Bob's"
contains messages "note: a delivery before this brings it: 'Alice.n ~> Bob.n;', and then 'n' is enough"
[ "$(grep -c 'error:' messages)" -eq 2 ] || { cat messages >&2; fail "not exactly two errors"; }
status 1 "$CHORCC" --emit --diagnostics=json foreign.c
contains messages "'Alice.n ~> Bob.n;', and then 'n' is enough"

# A helper that C declares only below.
cat >below.c <<'END'
#include <chorex.h>
choreography(below, (Alice, Bob),
    def run(Alice.int n) -> Bob.int {
        Alice.int k = helper(n);
        Alice.k ~> Bob.m;
        return Bob.m;
    }
)
static int helper(int x) { return x + 1; }
#include "below.Alice.chor.h"
#include "below.Bob.chor.h"
int main(void) { return 0; }
END
status 1 "$CHORCC" below.c -o below
contains messages "below.c:4:23: error: 'Alice_helper' is missing"
contains messages "below.c:9:12: note: if this 'helper' is meant: local C can call it if it is declared above the choreography"
sed -i 's/Alice.int k = helper(n)/Alice.k = helper(n) + 1/' below.c
status 1 "$CHORCC" below.c -o below
contains messages "below.c:4:19: error: Alice's C calls 'helper', which is declared only below the choreography"
contains messages "below.c:9:12: note: move it above the choreography, or declare it there"
sed -i '2i static int helper(int x);' below.c
"$CHORCC" below.c -o below

# A union: the note says once what to do.
cat >unions.c <<'END'
#include <chorex.h>
union either { int i; float f; };
struct holder { union either e; };
choreography(unions, (Alice, Bob),
    def run(Alice.union either e, Alice.struct holder h) {
        Alice.e ~> Bob._;
        Alice.h ~> Bob._;
    }
)
END
status 1 "$CHORCC" --emit unions.c
contains messages "note: it is a union: send the data itself, or make the type one with a CHX_CODEC"
contains messages "note: its field 'e' is a union: send the data itself, or make the type one with a CHX_CODEC"
lacks messages "give it a codec"

# A match of a variable that is not there.
cat >match.c <<'END'
#include <chorex.h>
choreography(match, (Alice, Bob),
    def run(Alice.int n) {
        Alice.n ~> Bob.(y);
        Bob.use(y);
    }
)
END
status 1 "$CHORCC" --emit match.c
contains messages "match.c:4:25: error: Bob has no variable 'y' here"
contains messages "note: '(y)' compares what arrives with Bob's 'y'; 'Bob.y', without parentheses, takes it"
contains messages "help: write 'Bob.y'"
[ "$(grep -c 'error:' messages)" -eq 1 ] || { cat messages >&2; fail "not exactly one error"; }
status 1 "$CHORCC" --emit --diagnostics=json match.c
contains messages "'(y)' compares what arrives"
sed -i 's/Alice.int n) {/Alice.int n, Bob.int y) {/' match.c
status 0 "$CHORCC" --emit match.c
lacks messages "compares"

# Another choreography.
cat >two.c <<'END'
#include <chorex.h>
choreography(one, (A, B), def run(A.int n) { A.n ~> B._; })
choreography(two, (A, B), def run(A.int n) { one.run(A.n); })
END
status 1 "$CHORCC" --emit two.c
contains messages "two.c:3:46: error: 'one' is another choreography, not a role"
contains messages "note: a choreography is started from C, for example by a function that a role provides: 'one_run(...)'"

# A role's function that a header declares for everybody, and one that stands above its companion.
cat >roles.h <<'END'
int Alice_f(int n);
END
cat >outside.c <<'END'
#include <chorex.h>
#include "roles.h"
choreography(outside, (Alice, Bob),
    int Alice.f(int n);
    def run(Alice.int n) { Alice.f(n) ~> Bob._; }
)
#include "outside.Alice.chor.h"
#include "outside.Bob.chor.h"
int Alice_f(int n) { return n; }
int main(void) { return outside_run(NULL, 3); }
END
status 1 "$CHORCC" outside.c -o outside
contains messages "roles.h:1:5: error: 'Alice_f' can't be declared for other files"
contains messages "outside.c:7:1: note: 'outside.Alice.chor.h' declares it: leave the other declaration out"
lacks messages "follows non-static"
[ "$(grep -c 'error:' messages)" -eq 1 ] || { cat messages >&2; fail "not exactly one error"; }
sed -i 's/^int/static int/' roles.h
"$CHORCC" outside.c -o outside
sed -i '2d;/^int Alice_f/d' outside.c
sed -i '2i int Alice_f(int n) { return n; }' outside.c
status 1 "$CHORCC" outside.c -o outside
contains messages "outside.c:2:5: error: 'Alice_f' is defined above the companion that declares it"
contains messages "outside.c:7:1: note: it must stand below this line"
# Behind the companion a declaration does no harm.
sed -i '2d' outside.c
sed -i '/outside.Bob/a int Alice_f(int n);\nint Alice_f(int n) { return n; }' outside.c
"$CHORCC" outside.c -o outside

# Who takes part in the rounds of a loop only because of its rescue, and who acts behind it.
cat >rounds.c <<'END'
#include <chorex.h>
choreography(rounds, (Alice, Bob, Carol),
    bool Alice.more(void);
    def run() {
        checkpoint while (Alice.more()) notify(Carol) {
            Alice.(1) ~> Carol._;
        } rescue {
            Bob.(2) ~> Carol._;
        }
        Bob.(3) ~> Carol._;
    }
)
END
status 1 "$CHORCC" --emit rounds.c
contains messages "rounds.c:5:9: error: Bob's part differs between the loop's body and what follows the loop, but 'notify' leaves Bob out"
contains messages "rounds.c:8:13: note: in the loop's rescue Bob first does this, so that Bob takes part in each round"
contains messages "rounds.c:10:9: note: after the loop Bob first does this"
lacks messages "does nothing"
