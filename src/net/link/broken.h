// broken.h: mistakes in the link that can be compiled in, one at a time, to see that its simulation finds them.
//
// tests/link/broken builds the simulation with -DLINK_BROKEN=LINK_BROKEN_..., for each. Otherwise link_is_broken is false,
// and what depends on it is not compiled. The first five are the wrong variants of tests/model/net/link.pml.

#ifndef NET_LINK_BROKEN_H
#define NET_LINK_BROKEN_H

enum {
    LINK_BROKEN_NOTHING,
    LINK_BROKEN_READS_OLD,       // V_RECV_OLD: the old connection is read on, numbers not looked at
    LINK_BROKEN_NO_NUMBERS,      // V_NOSEQ: numbers are not looked at
    LINK_BROKEN_NO_RESUME,       // V_NORESUME: a new connection goes on behind what was written on the old one
    LINK_BROKEN_NO_INCARNATION,  // V_NOINC: incarnations are not compared
    LINK_BROKEN_ACK_EARLY,       // V_ACKEARLY: frames are let go when they are written
    LINK_BROKEN_OVERTAKES,       // a small frame overtakes a large message of the same lane
    LINK_BROKEN_NO_SILENCE,      // a connection on which nothing comes is never given up
    LINK_BROKEN_ROOM_FORGOTTEN,  // nobody is told that there is room again
    LINK_BROKEN_KEPT_UNBOUNDED,  // kept frames have no limit
    LINK_BROKEN_SURE_LATE,       // "the peer has heard us" counts from the answer's arrival
    LINK_BROKEN_TAIL_SURVIVES,   // half a frame of the old connection is put before what the new one brings
    LINK_BROKEN_DUPLICATE_TWICE, // of two crossing connections each node gives up its own
    LINK_BROKEN_NO_ACK_AGAIN,    // frames that come a second time are dropped without acknowledging them again
    LINK_BROKEN_CHUNK_LOST,      // a piece for which there was no memory is counted as received
    LINK_BROKEN_NO_CHALLENGE,    // a HELLO of another process counts even if that process is dead
    LINK_BROKEN_LATE_HELLO,      // a HELLO on a connection that the peer has given up since counts
    LINK_BROKEN_NAME_TWICE,      // a living process is replaced by another one with its name
    LINK_BROKEN_PASSES,          // a large message overtakes another one of the same lane that waits
    LINK_BROKEN_MIXED_FRAMES,    // PING and others are put into the middle of a frame that was half written
};

#ifndef LINK_BROKEN
#define LINK_BROKEN LINK_BROKEN_NOTHING
#endif

#define link_is_broken(mistake) (LINK_BROKEN == (mistake))

#endif
