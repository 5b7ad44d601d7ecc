// channel.c: see channel.h.

#include "runtime/core/channel.h"

#include "base/check.h"
#include "runtime/core/runtime.h"

#include <string.h>

static size_t record_bytes(size_t size)
{
    return (sizeof(Record) + size + 15) & ~(size_t)15;
}

static Segment *channel_first(Channel *channel)
{
    return (Segment *)(void *)channel->first;
}

static uint32_t channel_check(const Channel *channel, uint64_t sequence)
{
    return channel->token ^ (uint32_t)sequence;
}

void channel_init(Channel *channel, chx_runtime *runtime, Actor *producer, Actor *consumer, uint32_t token,
                  uint64_t message_limit, uint64_t byte_limit)
{
    // Everything but the first segment's data.
    memset(channel, 0, offsetof(Channel, first) + sizeof(Segment));
    Segment *first = channel_first(channel);
    first->capacity = SEGMENT_FIRST_BYTES;
    atomic_init(&first->used, SEGMENT_OPEN);
    channel->write = channel->oldest = first;
    atomic_init(&channel->reading, first);
    channel->segment_bytes = SEGMENT_FIRST_BYTES;
    channel->runtime = runtime;
    channel->producer = producer;
    channel->consumer = consumer;
    channel->token = token;
    channel->message_limit = message_limit;
    channel->byte_limit = byte_limit;
}

static void segment_free(Channel *channel, Segment *segment)
{
    if (segment != channel_first(channel))
        runtime_release(channel->runtime, segment);
}

void channel_fini(Channel *channel)
{
    for (Segment *segment = channel->oldest, *next; segment != NULL; segment = next) {
        next = segment->next;
        segment_free(channel, segment);
    }
    channel->oldest = NULL;
}

bool channel_has_room(Channel *channel)
{
    uint64_t sent = atomic_load_explicit(&channel->sent, memory_order_relaxed);
    if (sent - channel->taken_seen < channel->message_limit &&
        channel->sent_bytes - channel->taken_bytes_seen < channel->byte_limit)
        return true;
    channel->taken_seen = atomic_load(&channel->taken);
    channel->taken_bytes_seen = atomic_load_explicit(&channel->taken_bytes, memory_order_relaxed);
    return sent - channel->taken_seen < channel->message_limit &&
           channel->sent_bytes - channel->taken_bytes_seen < channel->byte_limit;
}

// A segment with room for `bytes`: one that the consumer has left, else a new one. NULL: no memory.
static Segment *channel_next_segment(Channel *channel, size_t bytes)
{
    Segment *reading = atomic_load_explicit(&channel->reading, memory_order_acquire);
    while (channel->oldest != reading) {
        Segment *segment = channel->oldest;
        channel->oldest = segment->next;
        if (segment->capacity >= bytes)
            return segment;
        segment_free(channel, segment);
    }
    size_t capacity = channel->segment_bytes;
    if (capacity < SEGMENT_MAX_BYTES)
        capacity *= 4;
    if (capacity > SEGMENT_MAX_BYTES)
        capacity = SEGMENT_MAX_BYTES;
    channel->segment_bytes = (uint32_t)capacity;
    if (capacity < bytes)
        capacity = bytes;
    Segment *segment = runtime_allocate(channel->runtime, sizeof *segment + capacity);
    if (segment != NULL)
        segment->capacity = (uint32_t)capacity;
    return segment;
}

bool channel_push(Channel *channel, uint32_t site, const void *value, size_t size)
{
    CHECK(size <= UINT32_MAX / 2);
    size_t bytes = record_bytes(size);
    if (channel->write->capacity - channel->write_at < bytes) {
        Segment *segment = channel_next_segment(channel, bytes);
        if (segment == NULL)
            return false;
        segment->next = NULL;
        atomic_store_explicit(&segment->used, SEGMENT_OPEN, memory_order_relaxed);
        channel->write->next = segment;
        // The consumer reads this only to see whether a record that is already published lies further on.
        atomic_store_explicit(&channel->write->used, channel->write_at, memory_order_relaxed);
        channel->write = segment;
        channel->write_at = 0;
    }
    uint64_t sequence = atomic_load_explicit(&channel->sent, memory_order_relaxed);
    Record *record = (Record *)(void *)(channel->write->data + channel->write_at);
    *record = (Record){site, (uint32_t)size, channel->send_epoch, channel_check(channel, sequence)};
    if (size != 0)
        memcpy(record + 1, value, size);
    channel->write_at += (uint32_t)bytes;
    channel->sent_bytes += bytes;
    // Sequentially consistent: the producer looks next whether the consumer waits; the consumer, before it waits,
    // whether something was sent.
    atomic_store(&channel->sent, sequence + 1);
    return true;
}

const Record *channel_peek(Channel *channel)
{
    uint64_t taken = atomic_load_explicit(&channel->taken, memory_order_relaxed);
    if (channel->sent_seen == taken) {
        channel->sent_seen = atomic_load(&channel->sent);
        if (channel->sent_seen == taken)
            return NULL;
    }
    Segment *segment = atomic_load_explicit(&channel->reading, memory_order_relaxed);
    if (channel->read_at == atomic_load_explicit(&segment->used, memory_order_relaxed)) {
        segment = segment->next;
        channel->read_at = 0;
        atomic_store_explicit(&channel->reading, segment, memory_order_release);
    }
    return (const Record *)(const void *)(segment->data + channel->read_at);
}

bool channel_checks(const Channel *channel, const Record *record)
{
    uint64_t sequence = atomic_load_explicit(&channel->taken, memory_order_relaxed);
    return record->check == channel_check(channel, sequence);
}

void channel_pop(Channel *channel, const Record *record)
{
    size_t bytes = record_bytes(record->size);
    channel->read_at += (uint32_t)bytes;
    uint64_t taken_bytes = atomic_load_explicit(&channel->taken_bytes, memory_order_relaxed);
    atomic_store_explicit(&channel->taken_bytes, taken_bytes + bytes, memory_order_relaxed);
    uint64_t taken = atomic_load_explicit(&channel->taken, memory_order_relaxed);
    atomic_store_explicit(&channel->taken, taken + 1, memory_order_release);
}

bool channel_should_announce(const Channel *channel)
{
    // Not for every message: a producer that waits should find room for many.
    uint64_t taken = atomic_load_explicit(&channel->taken, memory_order_relaxed);
    uint64_t taken_bytes = atomic_load_explicit(&channel->taken_bytes, memory_order_relaxed);
    return (taken - channel->announced) * 4 >= channel->message_limit ||
           (taken_bytes - channel->announced_bytes) * 4 >= channel->byte_limit;
}

void channel_announce(Channel *channel)
{
    uint64_t taken = atomic_load_explicit(&channel->taken, memory_order_relaxed);
    channel->announced = taken;
    channel->announced_bytes = atomic_load_explicit(&channel->taken_bytes, memory_order_relaxed);
    atomic_store(&channel->taken, taken);
}
