// outbox.h: control frames that a peer's link has no room for at the moment, encoded, in the order in which they were sent.

#ifndef NET_NODE_OUTBOX_H
#define NET_NODE_OUTBOX_H

#include "net/wire/wire.h"

typedef struct Waiting Waiting;
struct Waiting {
    Waiting *next;
    WireKind kind;
    uint64_t lane;
    size_t size;
    uint8_t body[];
};

typedef struct {
    Waiting *first, *last;
} Outbox;

typedef enum { OUTBOX_TAKEN, OUTBOX_NO_MEMORY, OUTBOX_INVALID } OutboxResult;

OutboxResult outbox_add(Outbox *outbox, uint64_t lane, WireKind kind, const void *frame);
// The first one, as a frame that points into it. NULL: there is none.
const Waiting *outbox_first(const Outbox *outbox, WireFrame *frame);
void outbox_drop_first(Outbox *outbox);
// Appends everything of another one, which is empty then.
void outbox_move(Outbox *outbox, Outbox *from);
void outbox_fini(Outbox *outbox);

#endif
