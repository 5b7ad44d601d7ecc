// linked.c: see core/linked.h.

#define _GNU_SOURCE
#include "runtime/isolation/linked.h"

#include "runtime/core/observe.h"
#include "runtime/core/codec.h"

#include <sched.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

enum {
    COPY_BYTES = 512,
    BUFFER_KEPT_BYTES = 1 << 20,
    DROPPED_MAX =
        2 * RING_BYTES / RING_UNIT, // a sender learns of a new epoch before it has sent so much of the old one
};

void linked_init(Channel *channel, struct Linked *linked)
{
    channel->linked = linked;
    // No room, no place to write, something that may not be taken: projected code asks each time.
    channel->is_quick = false;
    channel->head.sent_stop = 0;
    channel->head.write = channel->head.write_end = channel->first;
    channel->head.sent_seen = UINT64_MAX;
    channel->head.taken_stop = 0;
}

bool patience_lasts(Patience *patience, const Platform *platform)
{
    if (patience->limit_ns == 0)
        return false;
    if (patience->looks++ < PATIENCE_LOOKS) {
        platform->relax();
        return true;
    }
    sched_yield();
    uint64_t now_ns = platform->now_ns();
    if (patience->start_ns == 0)
        patience->start_ns = now_ns;
    return now_ns - patience->start_ns < patience->limit_ns;
}

Patience linked_patience(const Channel *channel)
{
    return (Patience){.limit_ns = channel->linked->patience_ns};
}

// What was printed before a message is out before the message: the other process may print next.
static void flush_output(void)
{
    if (__fpending(stdout) != 0)
        fflush(stdout);
}

// After a fence: we have said what there is to say, and who waits looks once more after raising its flag.
static void linked_notify(Channel *channel, bool producer)
{
    RingWords *words = channel->linked->ring.words;
    _Atomic uint32_t *waits = producer ? &words->producer_waits : &words->consumer_waits;
    if (atomic_load_explicit(waits, memory_order_relaxed) != 0 && atomic_exchange(waits, 0) != 0)
        channel->linked->side->notify(channel, producer);
}

void linked_settle(Channel *channel)
{
    atomic_thread_fence(memory_order_seq_cst);
    linked_notify(channel, true);
}

void linked_announce_wait(Channel *channel, bool room)
{
    struct Linked *linked = channel->linked;
    RingWords *words = linked->ring.words;
    RingItem item;
    ring_repeat(&linked->ring, room);
    atomic_store(room ? &words->producer_waits : &words->consumer_waits, 1);
    uint32_t ended = atomic_load(&words->ended) & (room ? RING_CONSUMER_ENDED : RING_PRODUCER_ENDED);
    RingState state = room ? ring_room(&linked->ring) : ring_peek(&linked->ring, &item);
    // The wait must not be for ever. A message of a later epoch is left for later, see linked_next.
    if (state == RING_EMPTY && ended != 0)
        linked->side->complain(room ? channel->producer : channel->consumer, channel, COMPLAIN_ENDED);
    else if (!room && state == RING_ITEM && item.record.of.epoch > channel->head.taking.epoch)
        linked->side->complain(channel->consumer, channel, COMPLAIN_AHEAD);
}

bool linked_room(Actor *actor, Channel *channel)
{
    struct Linked *linked = channel->linked;
    if (ring_has_room(&linked->ring))
        return true;
    RingState state = ring_room(&linked->ring);
    if (state == RING_BROKEN)
        linked->side->complain(actor, channel, COMPLAIN_BROKEN);
    return state == RING_ITEM;
}

// What travels at this site; NULL: the outcome of a choice.
static const chx_type *site_type(const Actor *actor, Channel *channel, uint32_t site)
{
    struct Linked *linked = channel->linked;
    if (linked->site != site) {
        const chx_site *found = actor_site(actor->role, site);
        linked->type = found != NULL ? found->type : NULL;
        linked->site = site;
    }
    return linked->type;
}

// Is the encoded form what lies in memory? So it is for the outcome of a choice, and for most numbers.
static bool type_is_raw(const chx_type *type)
{
    if (type == NULL)
        return true;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (type->kind == CHX_KIND_SIGNED || type->kind == CHX_KIND_UNSIGNED)
        return type->size == type->wire;
    return type->kind == CHX_KIND_FLOAT && type->size <= sizeof(double);
#else
    return false;
#endif
}

// A large buffer is not kept.
static void linked_relax(struct Linked *linked)
{
    if (linked->buffer.capacity > BUFFER_KEPT_BYTES)
        chx_buffer_free(&linked->buffer);
}

static unsigned char *buffer_reserve(chx_buffer *buffer, size_t bytes)
{
    if (buffer->capacity < bytes) {
        chx_buffer_free(buffer);
        buffer->data = malloc(bytes);
        buffer->capacity = buffer->data != NULL ? bytes : 0;
    }
    return buffer->data;
}

void *linked_value(Channel *channel, size_t size)
{
    return buffer_reserve(&channel->linked->value, size);
}

void linked_value_taken(Channel *channel)
{
    if (channel->linked->value.capacity > BUFFER_KEPT_BYTES)
        chx_buffer_free(&channel->linked->value);
}

// A large value could not be written or read. Maybe the role's own code, or the program's, has closed the file.
static void linked_look_for_file(const Actor *actor, const Channel *channel, uint32_t site)
{
    if (!descriptor_is_ours(&channel->linked->ring.file))
        guard_raise(actor->process != NULL ? CHX_FAULT_FAIL : CHX_FAULT_SYSTEM, 0, site, "%s", DESCRIPTOR_LOST);
}

void linked_send(Actor *actor, Channel *channel, uint32_t site, void *value, size_t size)
{
    struct Linked *linked = channel->linked;
    const chx_type *type = site_type(actor, channel, site);
    const void *bytes = value;
    if (!type_is_raw(type)) {
        buffer_restart(&linked->buffer);
        chx_encode(type, value, &linked->buffer);
        if (type->owning)
            chx_value_drop(type, value);
        if (linked->buffer.failed)
            guard_no_memory();
        bytes = linked->buffer.data;
        size = linked->buffer.size;
    }
    flush_output();
    if (!ring_send(&linked->ring, site, channel->head.sending.epoch, bytes, size)) {
        linked_look_for_file(actor, channel, site);
        guard_raise(CHX_FAULT_SYSTEM, 0, site, "a message of %zu bytes can't be sent to another process: %s", size,
                    size > RING_LARGE_BYTES ? "it is too large" : "no memory for it");
    }
    linked_relax(linked);
    if (actor->self.observed != 0)
        observe_sent(actor, channel, site);
    atomic_thread_fence(memory_order_seq_cst);
    linked_notify(channel, false);
    Channel *owing = actor->owing;
    if (owing != NULL && owing->linked != NULL) {
        actor->owing = NULL;
        linked_notify(owing, true);
    }
}

// Of the room that was made the producer hears at once if the channel was well filled. Else it hardly waits for any: it
// is looked after with the next message, or before this actor waits, and the fence is not paid for twice.
static void linked_pop(Actor *actor, Channel *channel, const RingItem *item)
{
    Ring *ring = &channel->linked->ring;
    uint32_t messages = ring->tail.count - ring->head.count, units = ring->tail.place - ring->head.place;
    bool is_filled =
        item->is_large || messages >= ring->message_limit / 2 || (uint64_t)units * RING_UNIT >= ring->byte_limit / 2;
    ring_pop(ring, item);
    if (actor->owing != channel)
        actor_settle(actor);
    actor->owing = channel;
    if (is_filled)
        actor_settle(actor);
}

// An old message is to be dropped: can there be one more?
static bool linked_may_drop(struct Linked *linked, uint32_t epoch)
{
    if (linked->dropped_epoch != epoch)
        linked->dropped = 0;
    linked->dropped_epoch = epoch;
    return linked->dropped++ < DROPPED_MAX;
}

// The next message of this role's epoch; older ones are dropped.
static bool linked_next(Actor *actor, Channel *channel, RingItem *item)
{
    struct Linked *linked = channel->linked;
    while (!ring_is_empty(&linked->ring)) {
        RingState state = ring_peek(&linked->ring, item);
        if (state == RING_BROKEN)
            linked->side->complain(actor, channel, COMPLAIN_BROKEN);
        if (state != RING_ITEM)
            return false;
        uint32_t epoch = item->record.of.epoch, taking = channel->head.taking.epoch;
        if (epoch != taking && ring_doubts(&linked->ring, item))
            continue;
        // A sender that is ahead: this role is about to be called back, or to enter the block.
        if (epoch == taking || epoch > taking)
            return epoch == taking;
        if (!linked_may_drop(linked, taking)) {
            linked->side->complain(actor, channel, COMPLAIN_UNEXPECTED);
            return false;
        }
        linked_pop(actor, channel, item);
    }
    return false;
}

bool linked_is_ready(Actor *actor, Channel *channel, bool room)
{
    RingItem item;
    return room ? linked_room(actor, channel) : linked_next(actor, channel, &item);
}

uint64_t linked_sequence(const Channel *channel, bool sent)
{
    const Ring *ring = &channel->linked->ring;
    return sent ? ring->tail.count - 1 : ring->head.count;
}

uint32_t linked_arriving(Actor *actor, Channel *channel)
{
    RingItem item;
    bool is_known;
    do {
        if (!linked_next(actor, channel, &item))
            return 0;
        is_known = actor_site(actor->role, item.record.site) != NULL;
    } while (!is_known && ring_doubts(&channel->linked->ring, &item));
    if (!is_known) {
        channel->linked->side->complain(actor, channel, COMPLAIN_UNEXPECTED);
        return 0;
    }
    return item.record.site;
}

static bool item_decode(const chx_type *type, const void *data, size_t bytes, void *value, size_t size)
{
    size_t used;
    if (type_is_raw(type)) {
        if (bytes == size)
            memcpy(value, data, size);
        return bytes == size;
    }
    if (type->size != size || !chx_decode(type, value, data, bytes, &used))
        return false;
    if (used == bytes)
        return true;
    chx_value_drop(type, value);
    return false;
}

// Copies and decodes.
static bool item_take(Actor *actor, Channel *channel, const RingItem *item, uint32_t site, void *value, size_t size)
{
    struct Linked *linked = channel->linked;
    unsigned char room[COPY_BYTES], *copy = room;
    size_t bytes = item->record.size;
    if (item->record.site != site)
        return false;
    // The channel's, not this function's: decoding may end in the guard.
    if (bytes > sizeof room && (copy = buffer_reserve(&linked->buffer, bytes)) == NULL)
        guard_no_memory();
    if (!ring_copy(&linked->ring, item, copy)) {
        linked_look_for_file(actor, channel, site);
        guard_raise(CHX_FAULT_SYSTEM, 0, site,
                    "a message of another process can't be read: out of memory, or an input/output error");
    }
    bool is_good = item_decode(site_type(actor, channel, site), copy, bytes, value, size);
    linked_relax(linked);
    return is_good;
}

bool linked_receive(Actor *actor, Channel *channel, uint32_t site, void *value, size_t size)
{
    struct Linked *linked = channel->linked;
    RingItem item;
    bool is_good;
    do {
        if (!linked_next(actor, channel, &item))
            return false;
        is_good = item_take(actor, channel, &item, site, value, size);
    } while (!is_good && ring_doubts(&linked->ring, &item));
    if (!is_good) {
        linked->side->complain(actor, channel, COMPLAIN_UNEXPECTED);
        return false;
    }
    if (actor->self.observed != 0)
        observe_taking(actor, channel, &item.record);
    linked_pop(actor, channel, &item);
    return true;
}
