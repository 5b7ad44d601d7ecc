// shm_channel.h: a channel that leads to another process, or comes from one, through shared memory.
//
// The messages lie in a ring (ring.h), encoded. Each of the two processes has a Channel of its own for it, whose transport
// is a ShmChannel: its view of the ring. isolation/ makes these, maps and repairs the rings, and looks into what one
// process reports about another.

#ifndef RUNTIME_CHANNEL_SHM_CHANNEL_H
#define RUNTIME_CHANNEL_SHM_CHANNEL_H

#include "runtime/channel/channel.h"
#include "runtime/channel/ring.h"

extern const ChannelOps shm_channel_ops;

// What is wrong with a channel.
typedef enum {
    VIOLATION_BROKEN,     // what lies in it is no message, or the point that the other end has published is impossible
    VIOLATION_UNEXPECTED, // a message, but not one that can come now
    VIOLATION_AHEAD,      // perhaps nothing: the message is of a later epoch. Can its sender be that far?
    VIOLATION_ENDED,      // the other role has ended, as the shared memory says, and is waited for
} Violation;

// What the program itself and a process of an isolated role do differently.
typedef struct {
    // Wakes the channel's producer, or its consumer, which waits in another process.
    void (*notify)(Channel *channel, bool producer);
    // The actor, which is the end in this process, has found that the other end breaks the rules. The other end is killed
    // if it is to blame. What the actor waits for may be there afterwards.
    void (*report_violation)(Actor *actor, Channel *channel, Violation about);
} ShmSide;

typedef struct ShmChannel {
    Ring ring;
    const ShmSide *side;
    void *owner;          // the side's: isolated session or process
    uint32_t number;      // of the channel in its session
    RingItem item;        // the consumer's: what peek has returned
    chx_buffer buffer;    // the encoded form of the message being sent or received
    chx_buffer value;     // of the message that is being received, in the form that it has in C
    const chx_type *held; // the type of that value, which was read and not yet taken; NULL: there is none
    const chx_site *site; // that was last looked up
    uint32_t dropped;     // the consumer's: how many old messages it has dropped in its present epoch
    uint32_t dropped_epoch;
    char why[128]; // of the last failure
} ShmChannel;

// Makes a channel that was initialised, but not yet used, one of this kind. `shm` has its ring, side, owner and number set
// and is zero otherwise; the role is that of the end in this process.
void shm_channel_init(Channel *channel, ShmChannel *shm, const chx_role *role);

// The shared memory behind the channel; NULL: it is no channel of this kind.
static inline ShmChannel *shm_channel(const Channel *channel)
{
    return channel->ops == &shm_channel_ops ? channel->transport : NULL;
}

#endif
