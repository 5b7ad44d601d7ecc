// ring.c: writing and reading messages in a ring of shared memory; see ring.h.

#define _GNU_SOURCE
#include "runtime/channel/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// In a record's size: the value lies in the large area; behind the record stands how large it is.
#define SIZE_LARGE UINT32_MAX

static uint32_t ring_units(const Ring *ring)
{
    return ring->bytes / RING_UNIT;
}

// Places are counted without end; the ring repeats itself.
static unsigned char *ring_at(const Ring *ring, uint32_t place)
{
    return ring->data + (size_t)(place % ring_units(ring)) * RING_UNIT;
}

static uint32_t units_to_end(const Ring *ring, uint32_t place)
{
    return ring_units(ring) - place % ring_units(ring);
}

static uint32_t record_units(size_t size)
{
    return (uint32_t)(CHX_RECORD_BYTES(size) / RING_UNIT);
}

void ring_set_limits(Ring *ring, uint64_t message_limit, uint64_t byte_limit)
{
    // So much may be in it before a record of a quarter of the ring, perhaps behind a jump, is added.
    ring->message_limit = message_limit;
    ring->byte_limit = byte_limit < ring->bytes / 4 ? byte_limit : ring->bytes / 4;
}

void ring_go_on(Ring *ring)
{
    ring->tail = ring_load(&ring->words->tail);
    ring->head = ring_load(&ring->words->head);
    ring->large = atomic_load(&ring->words->large);
}

void ring_repeat(Ring *ring, bool producer)
{
    if (producer)
        atomic_store(&ring->words->tail, ring->tail.word);
    else
        atomic_store(&ring->words->head, ring->head.word);
}

bool ring_is_sane(const Ring *ring, RingPoint head, RingPoint tail)
{
    uint32_t messages = tail.count - head.count, units = tail.place - head.place;
    return units <= ring_units(ring) && messages <= units && (messages != 0 || units == 0);
}

// ---- producer ----

RingState ring_room(Ring *ring)
{
    RingPoint head = ring_load(&ring->words->head);
    if (!ring_is_sane(ring, head, ring->tail))
        return RING_BROKEN;
    ring->head = head;
    return ring_has_room(ring) ? RING_ITEM : RING_EMPTY;
}

// Writes or reads the large value. That is done as with a file: without memory it fails, where a mapping would raise a signal.
static bool large_move(const Ring *ring, unsigned char *data, size_t size, bool writes)
{
    int file = descriptor_use(&ring->file);
    for (size_t done = 0; done < size;) {
        off_t at = ring->large_at + (off_t)done;
        ssize_t part = writes ? pwrite(file, data + done, size - done, at) : pread(file, data + done, size - done, at);
        if (part > 0)
            done += (size_t)part;
        else if (part == 0 || errno != EINTR)
            return false;
    }
    return true;
}

// The stamp changes before the rest does. A consumer that finds the same stamp before and after reading has read one whole
// message.
static void latest_write(const Ring *ring, uint64_t stamp, uint32_t site, const void *data, size_t size)
{
    RingWords *words = ring->words;
    atomic_store_explicit(&words->latest_stamp, stamp, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&words->latest_what, (uint64_t)size << 32 | site, memory_order_relaxed);
    if (size != 0)
        memcpy(words->latest, data, size);
}

bool ring_send(Ring *ring, uint32_t site, uint32_t epoch, const void *data, size_t size)
{
    bool is_large = CHX_RECORD_BYTES(size) > ring->bytes / 4;
    if (is_large && (size > RING_LARGE_BYTES || !large_move(ring, (unsigned char *)data, size, true)))
        return false;
    uint64_t length = size;
    size_t inside = is_large ? sizeof length : size;
    uint32_t units = record_units(inside), place = ring->tail.place;
    uint32_t to_end = units_to_end(ring, place);
    if (to_end < units) {
        Record jump = {.site = SITE_TO_BEGINNING};
        memcpy(ring_at(ring, place), &jump, sizeof jump);
        place += to_end;
    }
    uint32_t check = ring->token + ring->tail.count;
    Record record = {.site = site, .size = is_large ? SIZE_LARGE : (uint32_t)size};
    record.of.stamp = (uint64_t)check << 32 | epoch;
    unsigned char *at = ring_at(ring, place);
    memcpy(at, &record, sizeof record);
    if (inside != 0)
        memcpy(at + sizeof record, is_large ? (const void *)&length : data, inside);
    if (size <= RING_LATEST_BYTES)
        latest_write(ring, record.of.stamp, site, data, size);
    RingPoint tail = ring_point(place + units, ring->tail.count + 1);
    ring->tail = tail;
    if (is_large) {
        ring->large = tail.count;
        atomic_store_explicit(&ring->words->large, ring->large, memory_order_relaxed);
    }
    atomic_store_explicit(&ring->words->tail, tail.word, memory_order_release);
    return true;
}

// ---- consumer ----

RingState ring_look(const Ring *ring, RingPoint from, RingPoint tail, RingItem *item)
{
    uint32_t units = tail.place - from.place;
    if (!ring_is_sane(ring, from, tail))
        return RING_BROKEN;
    if (from.count == tail.count)
        return RING_EMPTY;
    item->at = from;
    memcpy(&item->record, ring_at(ring, from.place), sizeof item->record);
    if (item->record.site == SITE_TO_BEGINNING) {
        uint32_t to_end = units_to_end(ring, from.place);
        if (to_end >= units)
            return RING_BROKEN;
        item->at.place += to_end;
        units -= to_end;
        memcpy(&item->record, ring_at(ring, item->at.place), sizeof item->record);
    }
    item->is_large = item->record.size == SIZE_LARGE;
    uint64_t length = 0;
    size_t inside = item->is_large ? sizeof length : item->record.size;
    if (inside > ring->bytes || record_units(inside) > units ||
        record_units(inside) > units_to_end(ring, item->at.place))
        return RING_BROKEN;
    if (item->is_large) {
        memcpy(&length, ring_at(ring, item->at.place) + sizeof(Record), sizeof length);
        if (length == 0 || length > RING_LARGE_BYTES)
            return RING_BROKEN;
        item->record.size = (uint32_t)length;
    }
    item->place_after = item->at.place + record_units(inside);
    bool checks = item->record.of.check == ring->token + from.count && item->record.site != SITE_TO_BEGINNING &&
                  item->record.site != 0;
    return checks ? RING_ITEM : RING_BROKEN;
}

// Copies the only unread message from `latest`. False: it is not there.
static bool latest_read(const Ring *ring, RingItem *item)
{
    RingWords *words = ring->words;
    uint64_t stamp = atomic_load_explicit(&words->latest_stamp, memory_order_relaxed);
    uint64_t what = atomic_load_explicit(&words->latest_what, memory_order_relaxed);
    memcpy(item->latest, words->latest, sizeof item->latest);
    atomic_thread_fence(memory_order_acquire);
    uint32_t site = (uint32_t)what, size = (uint32_t)(what >> 32), place = ring->head.place;
    if (stamp != atomic_load_explicit(&words->latest_stamp, memory_order_relaxed) ||
        stamp >> 32 != (uint32_t)(ring->token + ring->head.count) || size > RING_LATEST_BYTES ||
        site == SITE_TO_BEGINNING || site == 0)
        return false;
    uint32_t units = record_units(size), to_end = units_to_end(ring, place);
    if (to_end < units)
        place += to_end;
    item->record = (Record){.site = site, .size = size, .of.stamp = stamp};
    item->at = ring_point(place, ring->head.count);
    item->is_large = false;
    item->place_after = place + units;
    // A larger message is not copied to `latest`, which then holds an older one: that does not end where this one ends.
    return item->place_after == ring->tail.place;
}

RingState ring_peek(Ring *ring, RingItem *item)
{
    ring->tail = ring_load(&ring->words->tail);
    bool is_only_one = ring->tail.count - ring->head.count == 1;
    item->is_latest = is_only_one && ring->doubted != ring->tail.count && latest_read(ring, item);
    return item->is_latest ? RING_ITEM : ring_look(ring, ring->head, ring->tail, item);
}

bool ring_doubts(Ring *ring, const RingItem *item)
{
    if (item->is_latest)
        ring->doubted = item->at.count + 1;
    return item->is_latest;
}

bool ring_copy(Ring *ring, const RingItem *item, void *to)
{
    size_t size = item->record.size;
    if (item->is_large)
        return large_move(ring, to, size, false);
    if (size != 0)
        memcpy(to, item->is_latest ? item->latest : ring_at(ring, item->at.place) + sizeof(Record), size);
    return true;
}

void ring_pop(Ring *ring, const RingItem *item)
{
    // Gives its memory back, before the word below is written: then the producer may write the next large value there.
    if (item->is_large)
        fallocate(descriptor_use(&ring->file), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, ring->large_at,
                  (off_t)item->record.size);
    RingPoint head = ring_point(item->place_after, ring->head.count + 1);
    ring->head = head;
    atomic_store_explicit(&ring->words->head, head.word, memory_order_release);
}

// ---- after a producer's death ----

RingPoint ring_valid_until(Ring *ring, bool (*is_valid)(void *context, Ring *ring, const RingItem *item), void *context,
                           uint32_t *large)
{
    RingPoint at = ring_load(&ring->words->head), tail = ring_load(&ring->words->tail);
    // If the word is impossible, it does not tell where the messages end: they end where they stop making sense.
    bool is_sane = ring_is_sane(ring, at, tail);
    if (!is_sane)
        tail.place = at.place + ring_units(ring);
    *large = at.count;
    for (;;) {
        RingItem item = {0};
        if (!is_sane)
            tail.count = at.count + 1;
        if (ring_look(ring, at, tail, &item) != RING_ITEM || !is_valid(context, ring, &item))
            return at;
        at.count++;
        at.place = item.place_after;
        if (item.is_large)
            *large = at.count;
    }
}
