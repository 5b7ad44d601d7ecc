// broken.h: mistakes in relayed streams that can be compiled in, one at a time, to see that the simulation of nodes finds them.
//
// tests/peers/broken builds the simulation with -DRELAY_BROKEN=RELAY_BROKEN_..., for each. Otherwise relay_is_broken is false, and what
// depends on it is not compiled.

#ifndef NET_RELAY_BROKEN_H
#define NET_RELAY_BROKEN_H

enum {
    RELAY_BROKEN_NOTHING,
    RELAY_BROKEN_NO_CREDIT,       // an end sends without waiting until what it has sent was read
    RELAY_BROKEN_NO_BOUND,        // ... and nobody looks how much it sends
    RELAY_BROKEN_TAKEN_FORGOTTEN, // an end does not say what it has read
    RELAY_BROKEN_CLOSE_FORGOTTEN, // a relay does not tell one end that the other one has closed the stream
    RELAY_BROKEN_LOSS_FORGOTTEN,  // ... or that the other end's process is gone
    RELAY_BROKEN_ANYBODY,         // a relay does not look who may talk through it
    RELAY_BROKEN_UNASKED,         // a node takes streams of whoever says that it carries them
    RELAY_BROKEN_ONE_SPACE,       // streams of the two sides of a link share their numbers
    RELAY_BROKEN_NO_RELAY,        // nothing is relayed
    RELAY_BROKEN_NO_DIRECT,       // a link that is relayed stays so
    RELAY_BROKEN_ONE_RELAY,       // only the first of several relays is tried
    RELAY_BROKEN_NO_SECOND_TRY,   // when a relay has refused, none is asked again
};

#ifndef RELAY_BROKEN
#define RELAY_BROKEN RELAY_BROKEN_NOTHING
#endif

#define relay_is_broken(mistake) (RELAY_BROKEN == (mistake))

#endif
