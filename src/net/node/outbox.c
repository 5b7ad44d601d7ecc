// outbox.c: see outbox.h.

#include "net/node/outbox.h"

#include "base/check.h"

#include <stdlib.h>

OutboxResult outbox_add(Outbox *outbox, uint64_t lane, WireKind kind, const void *frame)
{
    size_t size = wire_body_size(kind, frame);
    if (size == 0)
        return OUTBOX_INVALID;
    Waiting *waiting = malloc(sizeof *waiting + size);
    if (waiting == NULL)
        return OUTBOX_NO_MEMORY;
    *waiting = (Waiting){.kind = kind, .lane = lane, .size = size};
    wire_write_body(waiting->body, kind, frame);
    if (outbox->first == NULL)
        outbox->first = waiting;
    else
        outbox->last->next = waiting;
    outbox->last = waiting;
    return OUTBOX_TAKEN;
}

const Waiting *outbox_first(const Outbox *outbox, WireFrame *frame)
{
    const Waiting *first = outbox->first;
    if (first == NULL)
        return NULL;
    *frame = (WireFrame){.kind = first->kind};
    WireVerdict verdict = wire_decode_body(first->kind, (WireSpan){first->body, first->size}, &frame->hello);
    CHECK(verdict == WIRE_GOOD); // it was encoded here
    return first;
}

void outbox_drop_first(Outbox *outbox)
{
    Waiting *first = outbox->first;
    outbox->first = first->next;
    if (outbox->first == NULL)
        outbox->last = NULL;
    free(first);
}

void outbox_move(Outbox *outbox, Outbox *from)
{
    if (from->first == NULL)
        return;
    if (outbox->first == NULL)
        outbox->first = from->first;
    else
        outbox->last->next = from->first;
    outbox->last = from->last;
    *from = (Outbox){0};
}

void outbox_fini(Outbox *outbox)
{
    while (outbox->first != NULL)
        outbox_drop_first(outbox);
}
