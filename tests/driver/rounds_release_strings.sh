# At the end of a round a role gives back the strings of the variables that are declared in the round, and no others.
set -eu
. "$(dirname "$0")/common.bash"
cat >rounds.c <<'END'
#include <chorex.h>
choreography(rounds, (A, B),
    chx_str A.next(void);
    def run(B.chx_str given) -> B.{chx_str, int} {
        B.chx_str before = given;
        B.int size = 0;
        checkpoint while (A.more()) {
            A.next() ~> B.got;
            B.const char *text = chx_cstr(got);
            B.int number = text[0];
            B.before = got;
            while (B.(number > 0)) {
                A.next() ~> {A, B}.turn;
                A.use(turn);
                B.size += (int)chx_str_len(turn);
                B.number--;
            }
            checkpoint for (;;) {
                A.next() ~> B.inner;
                B.size += (int)chx_str_len(inner) + (int)chx_str_len(given);
                if (B.(size > 100)) {
                    break;
                }
            }
        } rescue (fault) {
            B.chx_str got = chx_strf("%s", fault.why);
            B.size += (int)chx_str_len(got);
        }
        while (A.more()) {
            A.next() ~> B.after;
            B.size += (int)chx_str_len(after);
        }
        return B.{before, size};
    }
)
END
"$CHORCC" --emit rounds.c
# What is released in the lines before the end of each round: the inner loop's, then the outer one's.
released()
{
    awk '/chx_value_drop/ { if (match($0, /->[a-z_0-9]+/)) drops = drops " " substr($0, RSTART + 2, RLENGTH - 2) }
         /chx_enter|chx_receive/ { drops = "" }
         /chx_renew/ { print "rounds:" drops; drops = "" }' "rounds.$1.chor.h"
}
prints "rounds: inner
rounds: got text turn inner got_2" released B
prints "rounds:
rounds: turn" released A
