// memory_channel.c: a channel between two actors of this process, which may run on different threads.
//
// Messages are records of any size in a chain of segments, the first of which is part of the channel; a segment that the
// consumer has left goes back to the producer, so a channel in steady use allocates nothing. Values lie there in the form
// that they have in C.
//
// Invariant: oldest .. reading .. writing are one chain. The producer owns everything before `reading` and what is after
// its last published record; the consumer owns the rest.
//
// Projected code sends and receives small values itself (chorex/generated.h): up to head.sent messages below
// head.sent_stop, and up to head.taken below head.taken_stop. It counts messages, but not bytes; these are counted here,
// by how far the places to write and to read have moved.

#include "runtime/channel/channel.h"

#include "base/check.h"
#include "runtime/platform/memory.h"
#include "runtime/recovery/broken.h"
#include "runtime/value/codec.h"

#include <stdio.h>
#include <string.h>

// Such a record ends each segment but the last: the next one follows in the next segment.
#define SITE_NEXT_SEGMENT UINT32_MAX

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

// Producer: adds the bytes that were sent since the last time.
static void channel_count_sent_bytes(Channel *channel)
{
    channel->head.sent_bytes += (uint64_t)(channel->head.write - channel->head.counted_to);
    channel->head.counted_to = channel->head.write;
}

// Producer: sets how far projected code may go on sending without asking. False: there is no room at all.
static bool channel_set_sent_stop(Channel *channel)
{
    chx_channel *head = &channel->head;
    channel_count_sent_bytes(channel);
    uint64_t sent = atomic_load_explicit(&head->sent, memory_order_relaxed);
    uint64_t messages = left(channel->message_limit, sent - channel->taken_seen);
    uint64_t bytes = left(channel->byte_limit, head->sent_bytes - channel->taken_bytes_seen);
    if (channel->is_fast)
        head->sent_stop = sent + smaller(messages, bytes / CHX_RECORD_BYTES(CHX_FAST_BYTES));
    return messages != 0 && bytes != 0;
}

// Consumer: adds the bytes that were taken out since the last time.
static uint64_t channel_count_taken_bytes(Channel *channel)
{
    uint64_t bytes = atomic_load_explicit(&channel->taken_bytes, memory_order_relaxed);
    bytes += (uint64_t)(channel->head.read - channel->counted);
    channel->counted = channel->head.read;
    atomic_store_explicit(&channel->taken_bytes, bytes, memory_order_relaxed);
    return bytes;
}

static void channel_write_in(Channel *channel, Segment *segment)
{
    channel->writing = segment;
    channel->head.write = channel->head.counted_to = segment->data;
    channel->head.write_end = segment->data + (channel->is_fast ? segment->capacity - sizeof(Record) : 0);
}

void memory_channel_init(Channel *channel)
{
    Segment *first = channel_first(channel);
    first->capacity = SEGMENT_FIRST_BYTES;
    channel->ops = &memory_channel_ops;
    channel->oldest = first;
    channel_write_in(channel, first);
    atomic_init(&channel->reading, first);
    channel->head.read = channel->counted = first->data;
    channel->segment_bytes = SEGMENT_FIRST_BYTES;
    channel_set_sent_stop(channel);
}

static void segment_free(Channel *channel, Segment *segment)
{
    if (segment != channel_first(channel))
        runtime_release(channel->runtime, segment);
}

// The segments that are left, the one that is written in among them.
static void channel_free_segments(Channel *channel)
{
    for (Segment *segment = channel->oldest, *next; segment != NULL; segment = next) {
        next = segment->next;
        segment_free(channel, segment);
    }
}

void memory_channel_rewind(Channel *channel)
{
    chx_channel *head = &channel->head;
    Segment *segment = channel->writing;
    uint64_t taken = atomic_load_explicit(&head->taken, memory_order_relaxed);
    if (atomic_load_explicit(&head->sent, memory_order_relaxed) != taken || head->write == segment->data)
        return;
    CHECK(head->read == head->write);
    size_t used = (size_t)(head->write - segment->data);
    channel_count_sent_bytes(channel);
    channel_count_taken_bytes(channel);
    // The large segment was not needed this time.
    if (segment != channel_first(channel) && used + sizeof(Record) <= SEGMENT_FIRST_BYTES) {
        channel_free_segments(channel);
        segment = channel->oldest = channel_first(channel);
        segment->next = NULL;
        channel->segment_bytes = SEGMENT_FIRST_BYTES;
        atomic_store_explicit(&channel->reading, segment, memory_order_relaxed);
    }
    channel_write_in(channel, segment);
    head->read = channel->counted = segment->data;
}

// ---- the producer's operations ----

static uint64_t memory_room(Channel *channel)
{
    chx_channel *head = &channel->head;
    uint64_t sent = atomic_load_explicit(&head->sent, memory_order_relaxed);
    if (sent < head->sent_stop)
        return head->sent_stop - sent;
    channel->taken_seen = atomic_load(&head->taken);
    channel->taken_bytes_seen = atomic_load_explicit(&channel->taken_bytes, memory_order_relaxed);
    if (!channel_set_sent_stop(channel))
        return 0;
    return sent < head->sent_stop ? head->sent_stop - sent : 1;
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

// Goes on writing in another segment, with room for `bytes`. False: no memory.
static bool channel_extend(Channel *channel, size_t bytes)
{
    Segment *segment = channel_next_segment(channel, bytes);
    if (segment == NULL)
        return false;
    segment->next = NULL;
    channel->writing->next = segment;
    ((Record *)(void *)channel->head.write)->site = SITE_NEXT_SEGMENT;
    channel_count_sent_bytes(channel);
    channel_write_in(channel, segment);
    return true;
}

static ChannelStatus memory_send(Channel *channel, uint32_t site, void *value, size_t size)
{
    CHECK(size <= UINT32_MAX / 2);
    chx_channel *head = &channel->head;
    // The end of a segment is kept free for the record that ends it.
    size_t bytes = CHX_RECORD_BYTES(size), needed = bytes + sizeof(Record);
    if ((size_t)(channel->writing->data + channel->writing->capacity - head->write) < needed &&
        !channel_extend(channel, needed)) {
        role_drop_message(channel->role, site, value, size);
        return CHANNEL_NO_MEMORY;
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
    return CHANNEL_DONE;
}

static bool memory_notify_sent(Channel *channel, Channel **credit_pending)
{
    // The credit is left: usually its producer runs next, and then need not be told at all.
    (void)channel;
    (void)credit_pending;
    return false;
}

// ---- the consumer's operations ----

static const Record *memory_peek(Channel *channel)
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

// What memory_peek has returned.
static Record *channel_next_record(const Channel *channel)
{
    return (Record *)(void *)(unsigned char *)channel->head.read;
}

// One of the mistakes of broken.h: the value of the newest message is exchanged with the oldest's.
static void channel_take_newest(const Channel *channel, const Record *record)
{
    unsigned char *oldest = (unsigned char *)(record + 1), *newest = oldest;
    uint64_t count = atomic_load(&channel->head.sent) - atomic_load(&channel->head.taken);
    for (const Record *next; --count > 0; newest = (unsigned char *)(next + 1)) {
        next = (const Record *)(const void *)(newest - sizeof(Record) + CHX_RECORD_BYTES(record->size));
        if (next->size != record->size || next->site == SITE_NEXT_SEGMENT)
            break;
    }
    for (uint32_t i = 0; i < record->size; i++) {
        unsigned char byte = oldest[i];
        oldest[i] = newest[i];
        newest[i] = byte;
    }
}

static ChannelStatus memory_read(Channel *channel, uint32_t site, size_t size, const void **value)
{
    const Record *record = channel_next_record(channel);
    uint64_t taken = atomic_load_explicit(&channel->head.taken, memory_order_relaxed);
    // Does it belong to this channel, in this order?
    bool checks = record->of.check == channel->head.taking.check + (uint32_t)taken;
    if (record->site != site || record->size != size || (!checks && !is_broken(BROKEN_NO_EPOCH_CHECK)))
        return CHANNEL_FAILED;
    if (is_broken(BROKEN_LIFO))
        channel_take_newest(channel, record);
    *value = record + 1;
    return CHANNEL_DONE;
}

static void channel_pop(Channel *channel, const Record *record)
{
    chx_channel *head = &channel->head;
    head->read += CHX_RECORD_BYTES(record->size);
    channel_count_taken_bytes(channel);
    uint64_t taken = atomic_load_explicit(&head->taken, memory_order_relaxed);
    atomic_store_explicit(&head->taken, taken + 1, memory_order_release);
}

static ChannelCredit memory_take(Channel *channel)
{
    chx_channel *head = &channel->head;
    channel_pop(channel, channel_next_record(channel));
    uint64_t taken = atomic_load_explicit(&head->taken, memory_order_relaxed);
    uint64_t taken_bytes = atomic_load_explicit(&channel->taken_bytes, memory_order_relaxed);
    // It is not due for every message: a producer that waits should find room for many.
    uint64_t messages = left((channel->message_limit + 3) / 4, taken - channel->announced);
    uint64_t bytes = left((channel->byte_limit + 3) / 4, taken_bytes - channel->announced_bytes);
    if (messages == 0 || bytes == 0)
        return (ChannelCredit){.is_due = true};
    // Until it is due, projected code may take out messages without asking. The caller owes the producer the credit for
    // this channel, so it will call flush_credit, which ends the permission.
    uint64_t count = smaller(messages - 1, (bytes - 1) / CHX_RECORD_BYTES(CHX_FAST_BYTES));
    if (!channel->is_fast)
        count = 0;
    else
        head->taken_stop = taken + count;
    return (ChannelCredit){.fast_takes = count};
}

static bool memory_drop(Channel *channel)
{
    Record *record = channel_next_record(channel);
    role_drop_message(channel->role, record->site, record + 1, record->size);
    channel_pop(channel, record);
    return true;
}

static bool memory_flush_credit(Channel *channel)
{
    channel->announced = atomic_load_explicit(&channel->head.taken, memory_order_relaxed);
    channel->announced_bytes = channel_count_taken_bytes(channel);
    channel->head.taken_stop = 0;
    return false;
}

// ---- the operations of either end ----

static uint64_t memory_sequence(const Channel *channel, bool is_producer)
{
    return is_producer ? atomic_load_explicit(&channel->head.sent, memory_order_relaxed) - 1
                       : atomic_load_explicit(&channel->head.taken, memory_order_relaxed);
}

static void memory_explain(Channel *channel, uint32_t site, char *why, size_t size)
{
    snprintf(why, size, "internal error: message of site %u where %u was expected",
             (unsigned)channel_next_record(channel)->site, (unsigned)site);
}

static void memory_close(Channel *channel)
{
    while (memory_peek(channel) != NULL)
        memory_drop(channel);
    channel_free_segments(channel);
    channel->oldest = NULL;
}

const ChannelOps memory_channel_ops = {
    .is_trusted = true,
    .room = memory_room,
    .send = memory_send,
    .notify_sent = memory_notify_sent,
    .peek = memory_peek,
    .read = memory_read,
    .take = memory_take,
    .drop = memory_drop,
    .flush_credit = memory_flush_credit,
    .sequence = memory_sequence,
    .explain = memory_explain,
    .close = memory_close,
};
