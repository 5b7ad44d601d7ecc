// linked.h: one process's view of a channel between processes.

#ifndef RUNTIME_ISOLATION_LINKED_H
#define RUNTIME_ISOLATION_LINKED_H

#include "runtime/core/private.h"

#include "runtime/core/linked.h"
#include "runtime/isolation/ring.h"

// What the two kinds of process do differently.
typedef struct {
    // Something has changed for the channel's producer or consumer, which waits for it.
    void (*notify)(Channel *channel, bool producer);
    // What stands in the channel is no message (or not the one that must come now), or its words are nonsense.
    void (*complain)(Actor *actor, Channel *channel, uint32_t site);
} LinkedSide;

struct Linked {
    Ring ring;
    const LinkedSide *side;
    void *owner;     // the side's: house or process
    uint32_t number; // of the channel
    uint64_t patience_ns;
    chx_buffer buffer;    // the producer's: the message being sent
    uint32_t site;        // the last one asked for
    const chx_type *type; // and what travels there
};

// Sets up a channel that is not yet in use. The ring is mapped.
void linked_init(Channel *channel, struct Linked *linked);

#endif
