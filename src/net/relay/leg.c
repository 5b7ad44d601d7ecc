// leg.c: see leg.h.

#include "net/relay/leg.h"

#include "base/check.h"
#include "net/relay/broken.h"

#include <stdio.h>
#include <stdlib.h>

// ---- bytes that wait ----

bool leg_queue_add(LegQueue *queue, const void *bytes, size_t size)
{
    if (queue->start > 0 && queue->end + size > queue->capacity) {
        memmove(queue->bytes, queue->bytes + queue->start, leg_queue_size(queue));
        queue->end -= queue->start;
        queue->start = 0;
    }
    if (queue->end + size > queue->capacity) {
        size_t capacity = queue->capacity == 0 ? 4096 : queue->capacity;
        while (capacity < queue->end + size)
            capacity *= 2;
        uint8_t *larger = realloc(queue->bytes, capacity);
        if (larger == NULL)
            return false;
        queue->bytes = larger;
        queue->capacity = capacity;
    }
    memcpy(queue->bytes + queue->end, bytes, size);
    queue->end += size;
    return true;
}

void leg_queue_fini(LegQueue *queue)
{
    free(queue->bytes);
    *queue = (LegQueue){0};
}

void leg_queue_drop(LegQueue *queue, size_t size)
{
    CHECK(size <= leg_queue_size(queue));
    queue->start += size;
    // A stream on which nothing moves needs no memory.
    if (queue->start == queue->end)
        leg_queue_fini(queue);
}

// ---- the leg ----

void leg_open(Leg *leg, uint32_t number, bool ends_there, const char *node)
{
    *leg = (Leg){.number = number & ~RELAY_OTHERS, .is_own = true, .ends_there = ends_there, .owes_open = true};
    snprintf(leg->node, sizeof leg->node, "%s", node);
}

void leg_opened(Leg *leg, const WireRelayOpen *open)
{
    *leg = (Leg){.number = open->stream};
    memcpy(leg->node, open->node.data, open->node.size);
    leg->node[open->node.size] = '\0';
}

void leg_fini(Leg *leg)
{
    leg_queue_fini(&leg->out);
}

bool leg_put(Leg *leg, const void *bytes, size_t size)
{
    CHECK(size <= leg_room(leg) || relay_is_broken(RELAY_BROKEN_NO_CREDIT) || relay_is_broken(RELAY_BROKEN_NO_BOUND));
    if (!leg_queue_add(&leg->out, bytes, size))
        return false;
    leg->put += size;
    return true;
}

void leg_tell(Leg *leg, uint64_t taken, bool is_lazy)
{
    CHECK(taken >= leg->taken && taken <= leg->received);
    leg->taken = taken;
    if ((!is_lazy || taken - leg->told >= RELAY_WINDOW / 4) && !relay_is_broken(RELAY_BROKEN_TAKEN_FORGOTTEN))
        leg->owes_taken = taken > leg->told;
}

void leg_end(Leg *leg, const char *why)
{
    if (leg->owes_close || leg->has_ended)
        return;
    leg->owes_close = true;
    snprintf(leg->why, sizeof leg->why, "%s", why);
}

bool leg_take_bytes(Leg *leg, WireSpan bytes)
{
    if (bytes.size == 0 || bytes.size > RELAY_PIECE)
        return false;
    if (leg->received + bytes.size - leg->taken > RELAY_WINDOW && !relay_is_broken(RELAY_BROKEN_NO_BOUND))
        return false;
    leg->received += bytes.size;
    return true;
}

bool leg_take_taken(Leg *leg, uint64_t count)
{
    if (count < leg->allowed || count > leg->put - leg_queue_size(&leg->out))
        return false;
    leg->allowed = count;
    return true;
}

void leg_take_close(Leg *leg, WireSpan why)
{
    size_t size = why.size < sizeof leg->why ? why.size : sizeof leg->why - 1;
    leg->has_ended = true;
    if (leg->owes_close)
        return;
    // It is logged, so it must not bring lines of its own.
    for (size_t i = 0; i < size; i++)
        leg->why[i] = (char)(why.data[i] < ' ' || why.data[i] == 0x7f ? '?' : why.data[i]);
    leg->why[size] = '\0';
}

// ---- what is to be sent ----

bool leg_next(const Leg *leg, bool may_bytes, WireFrame *frame)
{
    uint32_t stream = leg->number | (leg->is_own ? 0 : RELAY_OTHERS);
    size_t waiting = leg_queue_size(&leg->out);
    *frame = (WireFrame){0};
    if (leg->has_ended)
        return false;
    if (leg->owes_open) {
        frame->kind = WIRE_RELAY_OPEN;
        frame->relay_open = (WireRelayOpen){stream, leg->ends_there, wire_text(leg->node)};
    } else if (leg->owes_taken) {
        frame->kind = WIRE_RELAY_TAKEN;
        frame->relay_taken = (WireRelayTaken){stream, leg->taken};
    } else if (waiting > 0 && may_bytes) {
        frame->kind = WIRE_RELAY_BYTES;
        size_t size = waiting < RELAY_PIECE ? waiting : RELAY_PIECE;
        frame->relay_bytes = (WireRelayBytes){stream, {leg->out.bytes + leg->out.start, size}};
    } else if (waiting == 0 && leg->owes_close) {
        frame->kind = WIRE_RELAY_CLOSE;
        frame->relay_close = (WireRelayClose){stream, wire_text(leg->why)};
    } else {
        return false;
    }
    return true;
}

void leg_sent(Leg *leg, const WireFrame *frame)
{
    switch (frame->kind) {
    case WIRE_RELAY_OPEN:
        leg->owes_open = false;
        break;
    case WIRE_RELAY_TAKEN:
        leg->owes_taken = false;
        leg->told = frame->relay_taken.count;
        break;
    case WIRE_RELAY_BYTES:
        leg_queue_drop(&leg->out, frame->relay_bytes.bytes.size);
        break;
    default:
        leg->has_ended = true;
    }
}
