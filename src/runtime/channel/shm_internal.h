// shm_channel.h: one process's view of a channel between processes.

#ifndef RUNTIME_CHANNEL_SHM_INTERNAL_H
#define RUNTIME_CHANNEL_SHM_INTERNAL_H

#include "runtime/channel/shm_channel.h"
#include "runtime/channel/ring.h"

// What is wrong with a channel.
typedef enum {
    VIOLATION_BROKEN,     // what stands in it is no message, or the other side's word is nonsense
    VIOLATION_UNEXPECTED, // a message, but not one that can come now
    VIOLATION_AHEAD,      // perhaps nothing: it is of a later epoch. Can its sender be that far?
    VIOLATION_ENDED,      // the other role has ended, it is said, and is waited for
} Violation;

// What the two kinds of process do differently.
typedef struct {
    // Something has changed for the channel's producer or consumer, which waits for it.
    void (*notify)(Channel *channel, bool producer);
    // The other side is killed if it is to blame. What the actor waits for may be there afterwards.
    void (*report_violation)(Actor *actor, Channel *channel, Violation about);
} ShmSide;

struct ShmChannel {
    Ring ring;
    const ShmSide *side;
    void *owner;     // the side's: isolated session or process
    uint32_t number; // of the channel
    uint64_t spin_budget_ns;
    chx_buffer buffer;    // the message being sent or received
    chx_buffer value;     // what it is decoded into, where it is too large for the stack
    uint32_t site;        // the last one asked for
    const chx_type *type; // and what travels there
    uint32_t dropped;     // the consumer's: old messages in its present epoch
    uint32_t dropped_epoch;
};

// Sets up a channel that is not yet in use. The ring is mapped.
void shm_init(Channel *channel, struct ShmChannel *shm);

#endif
