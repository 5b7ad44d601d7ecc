// Used by two files, one for each role.
#ifndef WHOLE_H
#define WHOLE_H

#include "part.h"

choreography(whole, (Alice, Bob),
    use part;

    def run(Alice.int x) -> Bob.int {
        return part.go[Alice, Bob](Alice.x);
    }
)

#endif
