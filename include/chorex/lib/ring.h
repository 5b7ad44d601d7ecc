// Values from each member of a family to the next one, and from the last to the first. See docs/library.md.

#ifndef CHOREX_LIB_RING_H
#define CHOREX_LIB_RING_H

#include <chorex.h>

choreography(ring, (Node[]),
    def shift(Node[*].long x) -> Node[*].long {
        Node[*].long y = 0;
        for (n : Node) {
            n.x ~> Node[(n + 1) % Node_count].y;
        }
        return Node[*].y;
    }
)

#endif
