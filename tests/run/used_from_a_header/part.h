// A choreography that another header uses.
#ifndef PART_H
#define PART_H

#include <chorex.h>

choreography(part, (One, Two),
    def go(One.int x) -> Two.int {
        One.(x * 2) ~> Two.x;
        Two.check(x);
        return Two.x;
    }
)

#endif
