# The table of a round says with whose message it begins, for a role that receives something first: the number of the channel among
# those that the role receives from, counted from 1. A role that does anything else first has 0 there.
set -eu
. "$(dirname "$0")/common.bash"
cat >rounds.c <<'END'
#include <chorex.h>

choreography(rounds, (Alice, Bob, Carol),
    bool Bob.more(void);

    def told() {
        Alice.(1) ~> Carol.x;
        checkpoint while (Bob.more()) {
            Bob.(2) ~> Carol.y;
            Carol.y ~> Alice.z;
        } rescue {
            Bob.(false) ~> {Alice, Carol}._;
        }
    }
    def received() {
        Bob.int i = 0;
        checkpoint for (;;) {
            Alice.(1) ~> Carol.x;
            Carol.x ~> Bob.x;
            Bob.i++;
            if (Bob.(i > 3)) {
                break;
            }
        } rescue {
            Bob.(false) ~> {Alice, Carol}._;
        }
    }
)
END
"$CHORCC" -w --emit rounds.c
# rounds_of ROLE: the numbers, in the order of the definitions
rounds_of()
{
    sed -n 's/^ *.*_participants, [0-9]*, [0-9]*, true, \([0-9]*\), [a-z]*, [0-9]*,$/\1/p' "rounds.$1.chor.h" | tr '\n' ' '
}
prints "1 0 " rounds_of Alice
prints "0 1 " rounds_of Bob
prints "2 1 " rounds_of Carol
