// ring.h: a channel in memory that two processes share.
//
// One producer, one consumer; each end is a view (Ring) in its own process. Records as in channel.h lie in a ring of
// bytes, each in one piece; a value too large for the ring lies in an area of its own behind it, one at a time. Each side
// publishes where it stands in one word, messages and place together, so that a process can be killed at any
// instruction: what its word says is what has happened. Nothing is taken back: a new process goes on where the word
// says.
//
// Whoever reads trusts nothing that another process has written: everything is copied once, then looked at.

#ifndef RUNTIME_CHANNEL_RING_H
#define RUNTIME_CHANNEL_RING_H

#include "runtime/channel/channel.h"
#include "runtime/platform/descriptor.h"

#include <sys/types.h>

enum {
    RING_UNIT = 16,             // places are counted in these
    RING_BYTES = 1 << 18,       // values up to a quarter of that lie in the ring
    RING_LARGE_BYTES = 1 << 30, // the largest value, encoded
    RING_LATEST_BYTES = 32,     // values up to this size travel together with the producer's word
    RING_LINES = 128,           // what two sides write is so far apart that neither fetches the other's with its own
};

// In a record's site: the next record is at the ring's beginning.
#define SITE_TO_BEGINNING UINT32_MAX

// Where a side stands: messages so far, and places so far, each modulo 2^32.
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

// In one piece: a word that is put together in memory can't be read from there before all stores ahead of it are done.
static inline RingPoint ring_point(uint32_t place, uint32_t count)
{
    return (RingPoint){.word = (uint64_t)count << 32 | place};
}

// In shared memory; a page. A small message that is the only unread one is read from `latest`, which comes with the
// producer's word in one cache line; it also lies in the ring like any other.
typedef struct {
    _Alignas(RING_LINES) _Atomic uint64_t tail; // the producer's point
    _Atomic uint32_t large; // the producer's: count after the last large value; for the next process
    uint32_t reserved;
    _Atomic uint64_t latest_stamp; // written first, looked at last
    _Atomic uint64_t latest_what;  // size and site
    unsigned char latest[RING_LATEST_BYTES];
    _Alignas(RING_LINES) _Atomic uint64_t head;           // the consumer's
    _Alignas(RING_LINES) _Atomic uint32_t producer_waits; // for room
    _Atomic uint32_t consumer_waits;
    _Alignas(CACHE_LINE) _Atomic uint32_t ended; // the parent's: bits as below
} RingWords;

// Who has ended, in good order: there is nothing to wait for any more.
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
    uint32_t doubted;     // the consumer's: count after a message whose copy in `latest` is not to be believed
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

// The bounds of the channel, as far as the ring can hold that much.
void ring_set_limits(Ring *ring, uint64_t message_limit, uint64_t byte_limit);
// Goes on where the words say. For a new process; before that a ring is at its beginning.
void ring_go_on(Ring *ring);
// Says once more where this side stands, in case that the other one has written over it.
void ring_repeat(Ring *ring, bool producer);
// Can these be the two ends of one ring?
bool ring_is_sane(const Ring *ring, RingPoint head, RingPoint tail);
// Producer. RING_EMPTY: no room; RING_ITEM: there is; RING_BROKEN: the consumer's word is nonsense.
RingState ring_room(Ring *ring);
// Producer: is there room for sure, by what is known here?
static inline bool ring_has_room(const Ring *ring)
{
    uint32_t messages = ring->tail.count - ring->head.count, units = ring->tail.place - ring->head.place;
    return messages < ring->message_limit && (uint64_t)units * RING_UNIT < ring->byte_limit &&
           ring->tail.count - ring->large >= messages;
}
// Producer: there is room. False: larger than any message can be, or no memory.
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
// Consumer: it makes no sense. True: it was read from `latest`; ring_peek now says what lies in the ring, which counts.
bool ring_doubts(Ring *ring, const RingItem *item);
// Consumer: copies the record's data to `to`, which has room for it. False: it could not be had.
bool ring_copy(Ring *ring, const RingItem *item, void *to);
// Consumer: the record is done with.
void ring_pop(Ring *ring, const RingItem *item);

// Anybody, when the producer is gone: walks over the unread records while `is_valid` holds. Returns the first point at
// which nothing sensible stands: the producer's own, if all is well. `large`: what the producer's word must be then.
RingPoint ring_valid_until(Ring *ring, bool (*is_valid)(void *context, Ring *ring, const RingItem *item), void *context,
                           uint32_t *large);
// Is `point` at or behind `savepoint`, for points of one side?
bool ring_is_behind(RingPoint point, RingPoint savepoint);

#endif
