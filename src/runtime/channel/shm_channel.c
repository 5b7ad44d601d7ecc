// shm_channel.c: see core/linked.h.

#define _GNU_SOURCE
#include "runtime/channel/shm_internal.h"

#include "runtime/actor/observe.h"
#include "runtime/value/codec.h"

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

void shm_init(Channel *channel, struct ShmChannel *shm)
{
    channel->shm = shm;
    // No room, no place to write, something that may not be taken: projected code asks each time.
    channel->is_fast = false;
    channel->head.sent_stop = 0;
    channel->head.write = channel->head.write_end = channel->first;
    channel->head.sent_seen = UINT64_MAX;
    channel->head.taken_stop = 0;
}

bool spin_budget_lasts(SpinBudget *spin_budget, const Platform *platform)
{
    if (spin_budget->limit_ns == 0)
        return false;
    if (spin_budget->looks++ < SPIN_BUDGET_LOOKS) {
        platform->relax();
        return true;
    }
    sched_yield();
    uint64_t now_ns = platform->now_ns();
    if (spin_budget->start_ns == 0)
        spin_budget->start_ns = now_ns;
    return now_ns - spin_budget->start_ns < spin_budget->limit_ns;
}

SpinBudget shm_spin_budget(const Channel *channel)
{
    return (SpinBudget){.limit_ns = channel->shm->spin_budget_ns};
}

// What was printed before a message is out before the message: the other process may print next.
static void flush_output(void)
{
    if (__fpending(stdout) != 0)
        fflush(stdout);
}

// After a fence: we have said what there is to say, and who waits looks once more after raising its flag.
static void shm_notify(Channel *channel, bool producer)
{
    RingWords *words = channel->shm->ring.words;
    _Atomic uint32_t *waits = producer ? &words->producer_waits : &words->consumer_waits;
    if (atomic_load_explicit(waits, memory_order_relaxed) != 0 && atomic_exchange(waits, 0) != 0)
        channel->shm->side->notify(channel, producer);
}

void shm_flush_credit(Channel *channel)
{
    atomic_thread_fence(memory_order_seq_cst);
    shm_notify(channel, true);
}

void shm_announce_wait(Channel *channel, bool room)
{
    struct ShmChannel *shm = channel->shm;
    RingWords *words = shm->ring.words;
    RingItem item;
    ring_repeat(&shm->ring, room);
    atomic_store(room ? &words->producer_waits : &words->consumer_waits, 1);
    uint32_t ended = atomic_load(&words->ended) & (room ? RING_CONSUMER_ENDED : RING_PRODUCER_ENDED);
    RingState state = room ? ring_room(&shm->ring) : ring_peek(&shm->ring, &item);
    // The wait must not be for ever. A message of a later epoch is left for later, see linked_next.
    if (state == RING_EMPTY && ended != 0)
        shm->side->report_violation(room ? channel->producer : channel->consumer, channel, VIOLATION_ENDED);
    else if (!room && state == RING_ITEM && item.record.of.epoch > channel->head.taking.epoch)
        shm->side->report_violation(channel->consumer, channel, VIOLATION_AHEAD);
}

bool shm_room(Actor *actor, Channel *channel)
{
    struct ShmChannel *shm = channel->shm;
    if (ring_has_room(&shm->ring))
        return true;
    RingState state = ring_room(&shm->ring);
    if (state == RING_BROKEN)
        shm->side->report_violation(actor, channel, VIOLATION_BROKEN);
    return state == RING_ITEM;
}

// What travels at this site; NULL: the outcome of a choice.
static const chx_type *site_type(const Actor *actor, Channel *channel, uint32_t site)
{
    struct ShmChannel *shm = channel->shm;
    if (shm->site != site) {
        const chx_site *found = actor_site(actor->role, site);
        shm->type = found != NULL ? found->type : NULL;
        shm->site = site;
    }
    return shm->type;
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
static void shm_relax(struct ShmChannel *shm)
{
    if (shm->buffer.capacity > BUFFER_KEPT_BYTES)
        chx_buffer_free(&shm->buffer);
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

void *shm_value(Channel *channel, size_t size)
{
    return buffer_reserve(&channel->shm->value, size);
}

void shm_value_taken(Channel *channel)
{
    if (channel->shm->value.capacity > BUFFER_KEPT_BYTES)
        chx_buffer_free(&channel->shm->value);
}

// A large value could not be written or read. Maybe the role's own code, or the program's, has closed the file.
static void shm_look_for_file(const Actor *actor, const Channel *channel, uint32_t site)
{
    if (!descriptor_is_ours(&channel->shm->ring.file))
        guard_raise(actor->process != NULL ? CHX_FAULT_FAIL : CHX_FAULT_SYSTEM, 0, site, "%s", DESCRIPTOR_LOST);
}

void shm_send(Actor *actor, Channel *channel, uint32_t site, void *value, size_t size)
{
    struct ShmChannel *shm = channel->shm;
    const chx_type *type = site_type(actor, channel, site);
    const void *bytes = value;
    if (!type_is_raw(type)) {
        buffer_restart(&shm->buffer);
        chx_encode(type, value, &shm->buffer);
        if (type->owning)
            chx_value_drop(type, value);
        if (shm->buffer.failed)
            guard_no_memory();
        bytes = shm->buffer.data;
        size = shm->buffer.size;
    }
    flush_output();
    if (!ring_send(&shm->ring, site, channel->head.sending.epoch, bytes, size)) {
        shm_look_for_file(actor, channel, site);
        guard_raise(CHX_FAULT_SYSTEM, 0, site, "a message of %zu bytes can't be sent to another process: %s", size,
                    size > RING_LARGE_BYTES ? "it is too large" : "no memory for it");
    }
    shm_relax(shm);
    if (actor->self.observed != 0)
        observe_sent(actor, channel, site);
    atomic_thread_fence(memory_order_seq_cst);
    shm_notify(channel, false);
    Channel *credit_pending = actor->credit_pending;
    if (credit_pending != NULL && credit_pending->shm != NULL) {
        actor->credit_pending = NULL;
        shm_notify(credit_pending, true);
    }
}

// Of the room that was made the producer hears at once if the channel was well filled. Else it hardly waits for any: it
// is looked after with the next message, or before this actor waits, and the fence is not paid for twice.
static void shm_pop(Actor *actor, Channel *channel, const RingItem *item)
{
    Ring *ring = &channel->shm->ring;
    uint32_t messages = ring->tail.count - ring->head.count, units = ring->tail.place - ring->head.place;
    bool is_filled =
        item->is_large || messages >= ring->message_limit / 2 || (uint64_t)units * RING_UNIT >= ring->byte_limit / 2;
    ring_pop(ring, item);
    if (actor->credit_pending != channel)
        actor_flush_credit(actor);
    actor->credit_pending = channel;
    if (is_filled)
        actor_flush_credit(actor);
}

// An old message is to be dropped: can there be one more?
static bool shm_may_drop(struct ShmChannel *shm, uint32_t epoch)
{
    if (shm->dropped_epoch != epoch)
        shm->dropped = 0;
    shm->dropped_epoch = epoch;
    return shm->dropped++ < DROPPED_MAX;
}

// The next message of this role's epoch; older ones are dropped.
static bool shm_next(Actor *actor, Channel *channel, RingItem *item)
{
    struct ShmChannel *shm = channel->shm;
    while (!ring_is_empty(&shm->ring)) {
        RingState state = ring_peek(&shm->ring, item);
        if (state == RING_BROKEN)
            shm->side->report_violation(actor, channel, VIOLATION_BROKEN);
        if (state != RING_ITEM)
            return false;
        uint32_t epoch = item->record.of.epoch, taking = channel->head.taking.epoch;
        if (epoch != taking && ring_doubts(&shm->ring, item))
            continue;
        // A sender that is ahead: this role is about to be rolled back, or to enter the block.
        if (epoch == taking || epoch > taking)
            return epoch == taking;
        if (!shm_may_drop(shm, taking)) {
            shm->side->report_violation(actor, channel, VIOLATION_UNEXPECTED);
            return false;
        }
        shm_pop(actor, channel, item);
    }
    return false;
}

bool shm_is_ready(Actor *actor, Channel *channel, bool room)
{
    RingItem item;
    return room ? shm_room(actor, channel) : shm_next(actor, channel, &item);
}

uint64_t shm_sequence(const Channel *channel, bool sent)
{
    const Ring *ring = &channel->shm->ring;
    return sent ? ring->tail.count - 1 : ring->head.count;
}

uint32_t shm_arriving(Actor *actor, Channel *channel)
{
    RingItem item;
    bool is_known;
    do {
        if (!shm_next(actor, channel, &item))
            return 0;
        is_known = actor_site(actor->role, item.record.site) != NULL;
    } while (!is_known && ring_doubts(&channel->shm->ring, &item));
    if (!is_known) {
        channel->shm->side->report_violation(actor, channel, VIOLATION_UNEXPECTED);
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
    struct ShmChannel *shm = channel->shm;
    unsigned char room[COPY_BYTES], *copy = room;
    size_t bytes = item->record.size;
    if (item->record.site != site)
        return false;
    // The channel's, not this function's: decoding may end in the guard.
    if (bytes > sizeof room && (copy = buffer_reserve(&shm->buffer, bytes)) == NULL)
        guard_no_memory();
    if (!ring_copy(&shm->ring, item, copy)) {
        shm_look_for_file(actor, channel, site);
        guard_raise(CHX_FAULT_SYSTEM, 0, site,
                    "a message of another process can't be read: out of memory, or an input/output error");
    }
    bool is_good = item_decode(site_type(actor, channel, site), copy, bytes, value, size);
    shm_relax(shm);
    return is_good;
}

bool shm_receive(Actor *actor, Channel *channel, uint32_t site, void *value, size_t size)
{
    struct ShmChannel *shm = channel->shm;
    RingItem item;
    bool is_good;
    do {
        if (!shm_next(actor, channel, &item))
            return false;
        is_good = item_take(actor, channel, &item, site, value, size);
    } while (!is_good && ring_doubts(&shm->ring, &item));
    if (!is_good) {
        shm->side->report_violation(actor, channel, VIOLATION_UNEXPECTED);
        return false;
    }
    if (actor->self.observed != 0)
        observe_taking(actor, channel, &item.record);
    shm_pop(actor, channel, &item);
    return true;
}
