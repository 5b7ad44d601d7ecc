# Blocks that are switched off, in comments or in strings make no companions.
set -eu
. "$(dirname "$0")/common.bash"
cat >off.c <<'END'
#include <chorex.h>
// choreography(one, (A), def run() { })
const char *text = "choreography(two, (A), def run() { })";
#if 0
choreography(three, (A), def run() { })
#endif
#ifdef ON
choreography(four, (A), def run() { })
#endif
#define five choreography(five, (A), def run() { })
int choreographer(int n) { return n; }
END
"$CHORCC" -c off.c
[ -z "$(ls | grep chor.h || true)" ] || fail "companions: $(ls)"
"$CHORCC" -DON -c off.c
[ -f four.A.chor.h ] && [ ! -e three.chor.h ] || fail "not exactly 'four': $(ls)"
