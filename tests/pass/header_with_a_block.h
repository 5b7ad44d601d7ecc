// A shared choreography, self-contained.
#ifndef HEADER_WITH_A_BLOCK_H
#define HEADER_WITH_A_BLOCK_H

#include <chorex.h>

typedef int price;

choreography(headed, (Alice, Bob),
    price Alice.offer(void);
    def run() -> Bob.price {
        Alice.offer() ~> Bob.p;
        return Bob.p;
    }
)

#endif
