// ring.h: a ring of encoded messages in memory that two processes share; what shm_channel.c is made of.
//
// There is one producer and one consumer. Each has a view of the ring (Ring) in its own process. Messages are records
// (channel.h), each in one piece; a value that is too large for the ring lies in an area of its own behind it, one at a
// time. Each side publishes in one word how many messages it has written or read, and where the next one is. So a process
// can be killed at any instruction: exactly what its word says has happened. Nothing is undone then: a new process goes
// on from what the word says.
//
// The reader trusts nothing that another process has written: it copies everything once and checks the copy.

#ifndef RUNTIME_CHANNEL_RING_H
#define RUNTIME_CHANNEL_RING_H

#include "runtime/channel/channel.h"
#include "runtime/platform/descriptor.h"

#include <sys/types.h>

enum {
    RING_UNIT = 16,             // places are counted in these
    RING_BYTES = 1 << 18,       // values up to a quarter of that lie in the ring
    RING_LARGE_BYTES = 1 << 30, // the largest value, encoded
    RING_LATEST_BYTES = 32,     // values up to this size are also in the cache line of the producer's word
    RING_LINES = 128, // the distance between what the two sides write: neither fetches the other's with its own
};

// In a record's site: the next record is at the ring's beginning.
#define SITE_TO_BEGINNING UINT32_MAX

// How far a side has come: messages and places so far, each modulo 2^32.
typedef union {
    struct {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        uint32_t count, place;
#else
        uint32_t place, count;
#endif
    };
    uint64_t word;
} RingPoint;

// Makes the word in a register. If it were put together from two stores in memory, reading it back as one would have to
// wait until all stores before have been done.
static inline RingPoint ring_point(uint32_t place, uint32_t count)
{
    return (RingPoint){.word = (uint64_t)count << 32 | place};
}

// The part of the shared memory, a page, that is not messages. A small message that is the only unread one is read from
// `latest`, which lies in one cache line with the producer's word; it is also in the ring like any other.
typedef struct {
    _Alignas(RING_LINES) _Atomic uint64_t tail; // the producer's point
    _Atomic uint32_t large; // the producer's: count after the last large value; a new process needs it
    uint32_t reserved;
    _Atomic uint64_t latest_stamp; // written first and read last: unchanged, if the rest belongs to it
    _Atomic uint64_t latest_what;  // size and site
    unsigned char latest[RING_LATEST_BYTES];
    _Alignas(RING_LINES) _Atomic uint64_t head;           // the consumer's
    _Alignas(RING_LINES) _Atomic uint32_t producer_waits; // 1: it waits for room and is to be woken
    _Atomic uint32_t consumer_waits;
    _Alignas(CACHE_LINE) _Atomic uint32_t ended; // the parent's: bits as below
} RingWords;

// Which side has ended without a failure: nobody should wait for it any more.
enum { RING_PRODUCER_ENDED = 1, RING_CONSUMER_ENDED = 2 };

typedef struct Ring {
    RingWords *words;
    unsigned char *data;
    uint32_t bytes;  // of data; a multiple of the page size
    Descriptor file; // of the large area
    off_t large_at;
    uint32_t token;
    uint64_t message_limit, byte_limit;
    RingPoint tail, head; // this side's own, and what it last saw of the other
    uint32_t large;       // the producer's: count after its last large value
    uint32_t doubted;     // the consumer's: count after a message whose copy in `latest` made no sense
} Ring;

// A record as the consumer finds it: copied, so that it can't change any more.
typedef struct {
    Record record;
    RingPoint at; // of the record itself, behind a jump to the beginning
    bool is_large, is_latest;
    uint32_t place_after;
    unsigned char latest[RING_LATEST_BYTES]; // is_latest: the value
} RingItem;

typedef enum { RING_EMPTY, RING_ITEM, RING_BROKEN } RingState;

static inline RingPoint ring_load(const _Atomic uint64_t *word)
{
    return (RingPoint){.word = atomic_load_explicit((_Atomic uint64_t *)word, memory_order_acquire)};
}

// Sets the bounds of the channel, as far as the ring can hold that much.
void ring_set_limits(Ring *ring, uint64_t message_limit, uint64_t byte_limit);
// For a new process: goes on from what the words say. A view that was just made is at the beginning.
void ring_go_on(Ring *ring);
// Publishes once more how far this side has come, in case the other process has written over it.
void ring_repeat(Ring *ring, bool producer);
// Can a ring have these two ends?
bool ring_is_sane(const Ring *ring, RingPoint head, RingPoint tail);
// Producer: is there room? RING_EMPTY: no; RING_ITEM: yes; RING_BROKEN: the consumer's word is impossible.
RingState ring_room(Ring *ring);
// Producer: is there room even if the consumer has done nothing since its word was last read?
static inline bool ring_has_room(const Ring *ring)
{
    uint32_t messages = ring->tail.count - ring->head.count, units = ring->tail.place - ring->head.place;
    // The last large value must have been taken.
    return messages < ring->message_limit && (uint64_t)units * RING_UNIT < ring->byte_limit &&
           ring->tail.count - ring->large >= messages;
}
// Producer: writes a message. There must be room. False: it is larger than any message can be, or there is no memory.
bool ring_send(Ring *ring, uint32_t site, uint32_t epoch, const void *data, size_t size);

// Consumer: is there nothing?
static inline bool ring_is_empty(const Ring *ring)
{
    return ring_load(&ring->words->tail).word == ring->head.word;
}
// Consumer: the next record.
RingState ring_peek(Ring *ring, RingItem *item);
// Anybody: the record that stands at `from`, if what is there makes sense up to `tail`.
RingState ring_look(const Ring *ring, RingPoint from, RingPoint tail, RingItem *item);
// Consumer: the record makes no sense to the caller. True: it was read from `latest`; ring_peek now returns what lies in the
// ring, and only that counts.
bool ring_doubts(Ring *ring, const RingItem *item);
// Consumer: copies the record's data to `to`, which has room for it. False: a large value could not be read.
bool ring_copy(Ring *ring, const RingItem *item, void *to);
// Consumer: removes the record.
void ring_pop(Ring *ring, const RingItem *item);

// Anybody, when the producer has died: goes over the unread records while `is_valid` accepts them. Returns the point behind
// the last good one: the producer's own, if all are good. `large`: what the word of that name must be then.
RingPoint ring_valid_until(Ring *ring, bool (*is_valid)(void *context, Ring *ring, const RingItem *item), void *context,
                           uint32_t *large);

#endif
