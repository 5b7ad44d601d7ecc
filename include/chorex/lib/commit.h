// Two-phase commit: all members do something, or none does. See docs/library.md.

#ifndef CHOREX_LIB_COMMIT_H
#define CHOREX_LIB_COMMIT_H

#include <chorex.h>

choreography(commit, (Leader, Member[]),
    bool Member.prepare(void);
    void Member.perform(void);
    void Member.cancel(void);

    // A member that fails while it prepares has said no.
    def run() -> Leader.bool {
        Leader.bool yes = true;
        for (m : Member) {
            checkpoint {
                m.prepare() ~> Leader.bool vote;
                Leader.yes = yes && vote;
            } rescue {
                Leader.yes = false;
            }
        }
        Leader.yes ~> {Leader, Member[*]}.bool done;
        if ({Leader, Member[*]}.done) {
            Member[*].perform();
        } else {
            Member[*].cancel();
        }
        return Leader.yes;
    }
)

#endif
