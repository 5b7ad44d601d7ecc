// channel.c: see channel.h.

#include "runtime/channel/channel.h"

#include "base/check.h"
#include "runtime/session/runtime.h"

#include <string.h>

static Segment *channel_first(Channel *channel)
{
    return (Segment *)(void *)channel->first;
}

static uint64_t smaller(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

// What is left of a limit.
static uint64_t left(uint64_t limit, uint64_t used)
{
    return used < limit ? limit - used : 0;
}

// Producer: projected code leaves this to others.
static void channel_count_sent_bytes(Channel *channel)
{
    channel->head.sent_bytes += (uint64_t)(channel->head.write - channel->head.counted_to);
    channel->head.counted_to = channel->head.write;
}

// Producer: how far projected code may go on sending without asking.
static void channel_set_sent_stop(Channel *channel)
{
    chx_channel *head = &channel->head;
    channel_count_sent_bytes(channel);
    uint64_t sent = atomic_load_explicit(&head->sent, memory_order_relaxed);
    uint64_t messages = left(channel->message_limit, sent - channel->taken_seen);
    uint64_t bytes = left(channel->byte_limit, channel->head.sent_bytes - channel->taken_bytes_seen);
    if (channel->is_fast)
        head->sent_stop = sent + smaller(messages, bytes / CHX_RECORD_BYTES(CHX_FAST_BYTES));
}

uint64_t channel_fast_sends(const Channel *channel)
{
    uint64_t sent = atomic_load_explicit(&channel->head.sent, memory_order_relaxed);
    return channel->head.sent_stop > sent ? channel->head.sent_stop - sent : 0;
}

// Consumer: projected code leaves this to others.
static uint64_t channel_count_taken_bytes(Channel *channel)
{
    uint64_t bytes = atomic_load_explicit(&channel->taken_bytes, memory_order_relaxed);
    bytes += (uint64_t)(channel->head.read - channel->counted);
    channel->counted = channel->head.read;
    atomic_store_explicit(&channel->taken_bytes, bytes, memory_order_relaxed);
    return bytes;
}

uint64_t channel_allow_fast_takes(Channel *channel)
{
    chx_channel *head = &channel->head;
    uint64_t taken = atomic_load_explicit(&head->taken, memory_order_relaxed);
    uint64_t taken_bytes = channel_count_taken_bytes(channel);
    uint64_t messages = left((channel->message_limit + 3) / 4, taken - channel->announced + 1);
    uint64_t bytes = left((channel->byte_limit + 3) / 4, taken_bytes - channel->announced_bytes + 1);
    uint64_t count = smaller(messages, bytes / CHX_RECORD_BYTES(CHX_FAST_BYTES));
    if (!channel->is_fast)
        return 0;
    head->taken_stop = taken + count;
    return count;
}

// Producer: what is left of the segment. Its end is kept free for the record that ends it.
static size_t channel_left(const Channel *channel)
{
    const Segment *segment = channel->writing;
    return (size_t)(segment->data + segment->capacity - sizeof(Record) - channel->head.write);
}

static void channel_write_in(Channel *channel, Segment *segment)
{
    channel->writing = segment;
    channel->head.write = channel->head.counted_to = segment->data;
    channel->head.write_end = segment->data + (channel->is_fast ? segment->capacity - sizeof(Record) : 0);
}

void channel_init(Channel *channel, chx_runtime *runtime, Actor *producer, Actor *consumer, uint32_t token,
                  uint64_t message_limit, uint64_t byte_limit)
{
    // Everything but the first segment's data.
    memset(channel, 0, offsetof(Channel, first) + sizeof(Segment));
    Segment *first = channel_first(channel);
    first->capacity = SEGMENT_FIRST_BYTES;
    channel->oldest = first;
    channel->is_fast = runtime->observed == 0;
    channel_write_in(channel, first);
    atomic_init(&channel->reading, first);
    channel->head.read = channel->counted = first->data;
    channel->head.sending.check = channel->head.taking.check = token;
    channel->segment_bytes = SEGMENT_FIRST_BYTES;
    channel->runtime = runtime;
    channel->producer = producer;
    channel->consumer = consumer;
    channel->message_limit = message_limit;
    channel->byte_limit = byte_limit;
    channel_set_sent_stop(channel);
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
    uint64_t sent = atomic_load_explicit(&channel->head.sent, memory_order_relaxed);
    if (sent < channel->head.sent_stop)
        return true;
    channel->taken_seen = atomic_load(&channel->head.taken);
    channel->taken_bytes_seen = atomic_load_explicit(&channel->taken_bytes, memory_order_relaxed);
    channel_set_sent_stop(channel);
    return sent - channel->taken_seen < channel->message_limit &&
           channel->head.sent_bytes - channel->taken_bytes_seen < channel->byte_limit;
}

// A segment with room for `bytes`: one that the consumer has left, else a new one. NULL: no memory.
static Segment *channel_next_segment(Channel *channel, size_t bytes)
{
    Segment *reading = atomic_load_explicit(&channel->reading, memory_order_acquire);
    while (channel->oldest != reading) {
        Segment *segment = channel->oldest;
        channel->oldest = segment->next;
        if (segment->capacity >= bytes && segment->capacity >= SEGMENT_SECOND_BYTES)
            return segment;
        segment_free(channel, segment);
    }
    // Two of one size are enough for a consumer that keeps up.
    size_t capacity = channel->segment_bytes;
    if (capacity < SEGMENT_SECOND_BYTES)
        capacity = SEGMENT_SECOND_BYTES;
    else if (reading != channel->writing)
        capacity *= 4;
    if (capacity > SEGMENT_MAX_BYTES)
        capacity = SEGMENT_MAX_BYTES;
    channel->segment_bytes = capacity;
    if (capacity < bytes)
        capacity = bytes;
    Segment *segment = runtime_allocate(channel->runtime, sizeof *segment + capacity);
    if (segment != NULL)
        segment->capacity = capacity;
    return segment;
}

bool channel_push(Channel *channel, uint32_t site, const void *value, size_t size)
{
    CHECK(size <= UINT32_MAX / 2);
    chx_channel *head = &channel->head;
    size_t bytes = CHX_RECORD_BYTES(size);
    if (channel_left(channel) < bytes) {
        Segment *segment = channel_next_segment(channel, bytes + sizeof(Record));
        if (segment == NULL)
            return false;
        segment->next = NULL;
        channel->writing->next = segment;
        ((Record *)(void *)head->write)->site = SITE_NEXT_SEGMENT;
        channel_count_sent_bytes(channel);
        channel_write_in(channel, segment);
    }
    Record *record = (Record *)(void *)head->write;
    uint64_t sent = atomic_load_explicit(&head->sent, memory_order_relaxed);
    *record = (Record){site, (uint32_t)size, {.stamp = head->sending.stamp + sent * CHX_STAMP_NEXT}};
    if (size != 0)
        memcpy(record + 1, value, size);
    head->write += bytes;
    atomic_store_explicit(&head->sent, sent + 1, memory_order_release);
    if (size > CHX_FAST_BYTES)
        channel_set_sent_stop(channel);
    return true;
}

const Record *channel_peek(Channel *channel)
{
    chx_channel *head = &channel->head;
    uint64_t taken = atomic_load_explicit(&head->taken, memory_order_relaxed);
    if (head->sent_seen == taken) {
        head->sent_seen = atomic_load(&head->sent);
        if (head->sent_seen == taken)
            return NULL;
    }
    const Record *record = (const Record *)(const void *)head->read;
    if (record->site != SITE_NEXT_SEGMENT)
        return record;
    channel_count_taken_bytes(channel);
    Segment *segment = atomic_load_explicit(&channel->reading, memory_order_relaxed)->next;
    head->read = channel->counted = segment->data;
    atomic_store_explicit(&channel->reading, segment, memory_order_release);
    return (const Record *)(const void *)segment->data;
}

bool channel_checks(const Channel *channel, const Record *record)
{
    uint64_t taken = atomic_load_explicit(&channel->head.taken, memory_order_relaxed);
    return record->of.check == channel->head.taking.check + (uint32_t)taken;
}

void channel_pop(Channel *channel, const Record *record)
{
    chx_channel *head = &channel->head;
    head->read += CHX_RECORD_BYTES(record->size);
    channel_count_taken_bytes(channel);
    uint64_t taken = atomic_load_explicit(&head->taken, memory_order_relaxed);
    atomic_store_explicit(&head->taken, taken + 1, memory_order_release);
}

bool channel_should_announce(const Channel *channel)
{
    // Not for every message: a producer that waits should find room for many.
    uint64_t taken = atomic_load_explicit(&channel->head.taken, memory_order_relaxed);
    uint64_t taken_bytes = atomic_load_explicit(&channel->taken_bytes, memory_order_relaxed);
    return (taken - channel->announced) * 4 >= channel->message_limit ||
           (taken_bytes - channel->announced_bytes) * 4 >= channel->byte_limit;
}

void channel_announce(Channel *channel)
{
    channel->announced = atomic_load_explicit(&channel->head.taken, memory_order_relaxed);
    channel->announced_bytes = channel_count_taken_bytes(channel);
    channel->head.taken_stop = 0;
}
