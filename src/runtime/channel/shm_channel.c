// shm_channel.c: the operations of a channel between two processes: values are encoded into a ring of shared memory.
//
// The other process is not trusted. What it has written is copied once, checked and decoded; if it makes no sense, that is
// reported (ShmSide), and the channel counts as empty until it was looked into.
//
// Telling the other process something takes a full fence and, if it sleeps, a system call. So credit is kept back until
// the next message goes the other way, or until this end waits; only a channel that was well filled, whose producer may
// be waiting, is flushed at once.

#define _GNU_SOURCE
#include "runtime/channel/shm_channel.h"

#include "runtime/value/codec.h"

#include <stdio.h>
#include <stdio_ext.h>

enum {
    BUFFER_KEPT_BYTES = 1 << 20, // larger ones are freed after use
    DROPPED_MAX =
        2 * RING_BYTES / RING_UNIT, // a sender learns of a new epoch before it has sent so much of the old one
};

void shm_channel_init(Channel *channel, ShmChannel *shm, const chx_role *role)
{
    channel->ops = &shm_channel_ops;
    channel->transport = shm;
    channel->role = role;
    channel_disable_fast(channel);
}

// Tells the other end if it waits. A fence must come before: this end has published first and looks for the flag then,
// the other end raises its flag and looks once more at what is published.
static void shm_notify(Channel *channel, bool producer)
{
    ShmChannel *shm = channel->transport;
    RingWords *words = shm->ring.words;
    _Atomic uint32_t *waits = producer ? &words->producer_waits : &words->consumer_waits;
    if (atomic_load_explicit(waits, memory_order_relaxed) != 0 && atomic_exchange(waits, 0) != 0)
        shm->side->notify(channel, producer);
}

// What the role knows of the site; NULL: it has no such site.
static const chx_site *shm_look_up(Channel *channel, uint32_t site)
{
    ShmChannel *shm = channel->transport;
    if (shm->site == NULL || shm->site->number != site)
        shm->site = role_site(channel->role, site);
    return shm->site;
}

// A value could not be written or read. Maybe the role's own code, or the program's, has closed the file in which large
// ones lie.
static ChannelStatus shm_failure(ShmChannel *shm)
{
    if (descriptor_is_ours(&shm->ring.file))
        return CHANNEL_FAILED;
    snprintf(shm->why, sizeof shm->why, "%s", DESCRIPTOR_LOST);
    return CHANNEL_CLOSED;
}

// ---- the producer's operations ----

static uint64_t shm_room(Channel *channel)
{
    ShmChannel *shm = channel->transport;
    if (ring_has_room(&shm->ring))
        return 1;
    RingState state = ring_room(&shm->ring);
    if (state == RING_BROKEN)
        shm->side->report_violation(channel->producer, channel, VIOLATION_BROKEN);
    return state == RING_ITEM ? 1 : 0;
}

static ChannelStatus shm_send(Channel *channel, uint32_t site, void *value, size_t size)
{
    ShmChannel *shm = channel->transport;
    const chx_site *found = shm_look_up(channel, site);
    const chx_type *type = found != NULL ? found->type : NULL;
    const void *bytes = value;
    if (!message_is_raw(type)) {
        buffer_restart(&shm->buffer);
        chx_encode(type, value, &shm->buffer);
        if (type->owning)
            chx_value_drop(type, value);
        if (shm->buffer.failed)
            return CHANNEL_NO_MEMORY;
        bytes = shm->buffer.data;
        size = shm->buffer.size;
    }
    // What was printed before a message is out before the message: the other process may print next.
    if (__fpending(stdout) != 0)
        fflush(stdout);
    if (!ring_send(&shm->ring, site, channel->head.sending.epoch, bytes, size)) {
        snprintf(shm->why, sizeof shm->why, "a message of %zu bytes can't be sent to another process: %s", size,
                 size > RING_LARGE_BYTES ? "it is too large" : "no memory for it");
        return shm_failure(shm);
    }
    buffer_trim(&shm->buffer, BUFFER_KEPT_BYTES);
    return CHANNEL_DONE;
}

static bool shm_notify_sent(Channel *channel, Channel **credit_pending)
{
    Channel *credit = *credit_pending;
    atomic_thread_fence(memory_order_seq_cst);
    shm_notify(channel, false);
    if (credit != NULL && credit->ops == &shm_channel_ops) {
        *credit_pending = NULL;
        shm_notify(credit, true); // after the same fence
    }
    return true;
}

// ---- the consumer's operations ----

static const Record *shm_peek(Channel *channel)
{
    ShmChannel *shm = channel->transport;
    while (!ring_is_empty(&shm->ring)) {
        RingState state = ring_peek(&shm->ring, &shm->item);
        const Record *record = &shm->item.record;
        if (state == RING_BROKEN)
            shm->side->report_violation(channel->consumer, channel, VIOLATION_BROKEN);
        if (state != RING_ITEM)
            return NULL;
        bool is_current = record->of.epoch == channel->head.taking.epoch;
        if (is_current && shm_look_up(channel, record->site) != NULL)
            return record;
        // Either this is an epoch or a site to be surprised at, or what was read of it is not true.
        if (ring_doubts(&shm->ring, &shm->item))
            continue;
        if (!is_current)
            return record;
        shm->side->report_violation(channel->consumer, channel, VIOLATION_UNEXPECTED);
        return NULL;
    }
    return NULL;
}

// Copies what was peeked and decodes it to shm->value. CHANNEL_EMPTY: it is no such value.
static ChannelStatus shm_decode(Channel *channel, uint32_t site, size_t size)
{
    ShmChannel *shm = channel->transport;
    const Record *record = &shm->item.record;
    if (record->site != site || shm_look_up(channel, site) == NULL)
        return CHANNEL_EMPTY;
    const chx_type *type = shm->site->type;
    bool is_raw = message_is_raw(type);
    if (is_raw && record->size != size)
        return CHANNEL_EMPTY;
    unsigned char *value = buffer_reserve(&shm->value, size);
    unsigned char *copy = is_raw ? value : buffer_reserve(&shm->buffer, record->size);
    if (value == NULL || copy == NULL)
        return CHANNEL_NO_MEMORY;
    if (!ring_copy(&shm->ring, &shm->item, copy)) {
        snprintf(shm->why, sizeof shm->why,
                 "a message of another process can't be read: out of memory, or an input/output error");
        return shm_failure(shm);
    }
    bool is_good = is_raw || (type->size == size && chx_decode(type, value, copy, record->size));
    buffer_trim(&shm->buffer, BUFFER_KEPT_BYTES);
    return is_good ? CHANNEL_DONE : CHANNEL_EMPTY;
}

// Drops a value that was read and never taken: the actor has failed in between.
static void shm_drop_held(ShmChannel *shm)
{
    const chx_type *type = shm->held;
    shm->held = NULL;
    if (type != NULL)
        chx_value_drop(type, shm->value.data);
}

static ChannelStatus shm_read(Channel *channel, uint32_t site, size_t size, const void **value)
{
    ShmChannel *shm = channel->transport;
    if (shm->held != NULL)
        shm_drop_held(shm);
    ChannelStatus status = shm_decode(channel, site, size);
    if (status == CHANNEL_DONE) {
        const chx_type *type = shm->site->type;
        shm->held = type != NULL && type->owning ? type : NULL;
        *value = shm->value.data;
    } else if (status == CHANNEL_EMPTY) {
        if (ring_doubts(&shm->ring, &shm->item))
            return CHANNEL_AGAIN;
        shm->side->report_violation(channel->consumer, channel, VIOLATION_UNEXPECTED);
    }
    return status;
}

static ChannelCredit shm_take(Channel *channel)
{
    ShmChannel *shm = channel->transport;
    Ring *ring = &shm->ring;
    uint32_t messages = ring->tail.count - ring->head.count, units = ring->tail.place - ring->head.place;
    bool is_filled = shm->item.is_large || messages >= ring->message_limit / 2 ||
                     (uint64_t)units * RING_UNIT >= ring->byte_limit / 2;
    ring_pop(ring, &shm->item);
    shm->held = NULL;
    buffer_trim(&shm->value, BUFFER_KEPT_BYTES);
    return (ChannelCredit){.is_due = is_filled};
}

static bool shm_drop(Channel *channel)
{
    ShmChannel *shm = channel->transport;
    uint32_t epoch = channel->head.taking.epoch;
    if (shm->dropped_epoch != epoch)
        shm->dropped = 0;
    shm->dropped_epoch = epoch;
    if (shm->dropped++ >= DROPPED_MAX) {
        shm->side->report_violation(channel->consumer, channel, VIOLATION_UNEXPECTED);
        return false;
    }
    ring_pop(&shm->ring, &shm->item);
    return true;
}

static bool shm_flush_credit(Channel *channel)
{
    atomic_thread_fence(memory_order_seq_cst);
    shm_notify(channel, true);
    return true;
}

// ---- the operations of either end ----

static void shm_announce_wait(Channel *channel, bool for_room)
{
    ShmChannel *shm = channel->transport;
    RingWords *words = shm->ring.words;
    RingItem item;
    ring_repeat(&shm->ring, for_room);
    atomic_store(for_room ? &words->producer_waits : &words->consumer_waits, 1);
    uint32_t ended = atomic_load(&words->ended) & (for_room ? RING_CONSUMER_ENDED : RING_PRODUCER_ENDED);
    RingState state = for_room ? ring_room(&shm->ring) : ring_peek(&shm->ring, &item);
    // The wait must not be for ever. A message of a later epoch is left for later, but must be possible.
    if (state == RING_EMPTY && ended != 0)
        shm->side->report_violation(for_room ? channel->producer : channel->consumer, channel, VIOLATION_ENDED);
    else if (!for_room && state == RING_ITEM && item.record.of.epoch > channel->head.taking.epoch)
        shm->side->report_violation(channel->consumer, channel, VIOLATION_AHEAD);
}

static uint64_t shm_sequence(const Channel *channel, bool is_producer)
{
    const ShmChannel *shm = channel->transport;
    return is_producer ? shm->ring.tail.count - 1 : shm->ring.head.count;
}

static void shm_explain(Channel *channel, uint32_t site, char *why, size_t size)
{
    (void)site;
    snprintf(why, size, "%s", ((const ShmChannel *)channel->transport)->why);
}

static void shm_close(Channel *channel)
{
    // What is still in the ring is encoded and owns nothing. isolation/ unmaps the ring.
    ShmChannel *shm = channel->transport;
    shm_drop_held(shm);
    chx_buffer_free(&shm->buffer);
    chx_buffer_free(&shm->value);
}

const ChannelOps shm_channel_ops = {
    .is_trusted = false,
    .answers_alone = true,
    .room = shm_room,
    .send = shm_send,
    .notify_sent = shm_notify_sent,
    .peek = shm_peek,
    .read = shm_read,
    .take = shm_take,
    .drop = shm_drop,
    .flush_credit = shm_flush_credit,
    .announce_wait = shm_announce_wait,
    .sequence = shm_sequence,
    .explain = shm_explain,
    .close = shm_close,
};
