// flow.c: see flow.h.

#include "net/nats/flow.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_LEAST = 4 << 10 };

void nats_flow_init(NatsFlow *flow, uint32_t window)
{
    *flow = (NatsFlow){.out_limit = window, .in_limit = NATS_WINDOW};
}

void nats_flow_fini(NatsFlow *flow)
{
    free(flow->kept);
    flow->kept = NULL;
}

// ---- what arrives ----

// Room for so many bytes behind those that are kept. False: no memory.
static bool make_room(NatsFlow *flow, size_t size)
{
    size_t count = flow->kept_end - flow->kept_at, capacity = flow->kept_capacity;
    if (flow->kept_end + size <= capacity)
        return true;
    if (flow->kept_at > 0) {
        memmove(flow->kept, flow->kept + flow->kept_at, count);
        flow->kept_at = 0;
        flow->kept_end = count;
    }
    while (capacity < count + size)
        capacity = capacity == 0 ? KEPT_LEAST : capacity * 2;
    if (capacity == flow->kept_capacity)
        return true;
    uint8_t *kept = realloc(flow->kept, capacity);
    if (kept == NULL)
        return false;
    flow->kept = kept;
    flow->kept_capacity = capacity;
    return true;
}

NatsReason nats_flow_take(NatsFlow *flow, const NatsMessage *message)
{
    if (message->kind != NATS_DATA && message->kind != NATS_CREDIT && message->kind != NATS_FIN)
        return NATS_BECAUSE_INVALID;
    // A higher number: something is missing. A lower one is not possible with NATS; whoever has sent it is not the other end.
    if (message->number != flow->in_number + 1)
        return message->number > flow->in_number ? NATS_BECAUSE_LOST : NATS_BECAUSE_INVALID;
    if (flow->has_ended)
        return NATS_BECAUSE_INVALID;
    flow->in_number++;
    if (message->kind == NATS_FIN) {
        flow->has_ended = true;
        return 0;
    }
    if (message->kind == NATS_CREDIT) {
        // A limit never goes down, and never further than a window beyond what was sent.
        bool is_good = message->limit >= flow->out_limit && message->limit - flow->out_bytes <= NATS_WINDOW_MAX;
        flow->out_limit = is_good ? message->limit : flow->out_limit;
        return is_good ? 0 : NATS_BECAUSE_INVALID;
    }
    if (message->size > flow->in_limit - flow->in_bytes)
        return NATS_BECAUSE_INVALID;
    if (!make_room(flow, message->size))
        return NATS_BECAUSE_NO_MEMORY;
    memcpy(flow->kept + flow->kept_end, message->data, message->size);
    flow->kept_end += message->size;
    flow->in_bytes += message->size;
    return 0;
}

size_t nats_flow_kept(const NatsFlow *flow, const uint8_t **data)
{
    *data = flow->kept == NULL ? NULL : flow->kept + flow->kept_at;
    return flow->kept_end - flow->kept_at;
}

void nats_flow_taken(NatsFlow *flow, size_t size)
{
    CHECK(size <= flow->kept_end - flow->kept_at);
    flow->kept_at += size;
    if (flow->kept_at < flow->kept_end)
        return;
    flow->kept_at = flow->kept_end = 0;
    if (flow->kept_capacity > NATS_DATA_MAX) {
        free(flow->kept);
        flow->kept = NULL;
        flow->kept_capacity = 0;
    }
}

// ---- what is sent ----

size_t nats_flow_room(const NatsFlow *flow)
{
    uint64_t room = flow->out_limit - flow->out_bytes;
    return room < NATS_DATA_MAX ? (size_t)room : NATS_DATA_MAX;
}

NatsMessage nats_flow_data(NatsFlow *flow, size_t size)
{
    CHECK(size > 0 && size <= nats_flow_room(flow));
    flow->out_bytes += size;
    return (NatsMessage){.kind = NATS_DATA, .number = ++flow->out_number};
}

NatsMessage nats_flow_fin(NatsFlow *flow)
{
    return (NatsMessage){.kind = NATS_FIN, .number = ++flow->out_number};
}

bool nats_flow_credit(NatsFlow *flow, NatsMessage *message)
{
    uint64_t taken = flow->in_bytes - (flow->kept_end - flow->kept_at);
    // A quarter of the window at once: not a message for each message, and the sender does not have to wait.
    if (flow->has_ended || taken + NATS_WINDOW - flow->in_limit < NATS_WINDOW / 4)
        return false;
    flow->in_limit = taken + NATS_WINDOW;
    *message = (NatsMessage){.kind = NATS_CREDIT, .number = ++flow->out_number, .limit = flow->in_limit};
    return true;
}
