// broken.h: mistakes in what a node does with its links that can be compiled in, one at a time, to see that its simulation finds them.
//
// tests/peers/broken builds the simulation with -DPEERS_BROKEN=PEERS_BROKEN_..., for each. Otherwise peers_is_broken is false, and what
// depends on it is not compiled.

#ifndef NET_NODE_BROKEN_H
#define NET_NODE_BROKEN_H

enum {
    PEERS_BROKEN_NOTHING,
    PEERS_BROKEN_ONE_INCARNATION, // all links of a process have the same incarnation
    PEERS_BROKEN_OVERTAKES,       // data overtakes control frames that wait
    PEERS_BROKEN_DOWN_FORGOTTEN,  // nobody is told that a link is down
    PEERS_BROKEN_DOWN_LATE,       // ... or only when it is up again
    PEERS_BROKEN_OLD_FRAMES,      // what waits for a process that is lost is sent to the next
    PEERS_BROKEN_LOST_TWICE,      // a loss is told twice
    PEERS_BROKEN_LOST_FORGOTTEN,  // nobody is told that another process has the peer's name
    PEERS_BROKEN_ROOM_FORGOTTEN,  // what waits is not sent when there is room again
    PEERS_BROKEN_ANONYMOUS_NEW,   // an anonymous peer that comes back is taken for another one
    PEERS_BROKEN_NO_DIAL,         // a link that is down is not dialled again
};

#ifndef PEERS_BROKEN
#define PEERS_BROKEN PEERS_BROKEN_NOTHING
#endif

#define peers_is_broken(mistake) (PEERS_BROKEN == (mistake))

#endif
