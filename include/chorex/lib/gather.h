// Values between one role and all members of a family. See docs/library.md.

#ifndef CHOREX_LIB_GATHER_H
#define CHOREX_LIB_GATHER_H

#include <chorex.h>

choreography(gather, (Member[], Root),
    // To all of them, who then agree on it.
    def broadcast(Root.long x) -> Member[*].long {
        Root.x ~> Member[*].y;
        return Member[*].y;
    }

    // One for each.
    def scatter(Root.long x[Member]) -> Member[*].long {
        Member[*].long y = 0;
        for (m : Member) {
            Root.x[m] ~> m.y;
        }
        return Member[*].y;
    }

    // One of each.
    def all(Member[*].long x) -> Root.long r[Member] {
        Root.long r[Member];
        for (m : Member) {
            m.x ~> Root.r[m];
        }
        return Root.r;
    }

    // The same, with -1 for each member that fails: it is started anew, and the others go on.
    def alive(Member[*].long x) -> Root.long r[Member] {
        Root.long r[Member];
        for (m : Member) {
            checkpoint {
                m.x ~> Root.r[m];
            } rescue {
                Root.r[m] = -1;
            }
        }
        return Root.r;
    }
)

#endif
