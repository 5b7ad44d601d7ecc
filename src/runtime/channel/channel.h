// channel.h: bounded queue of messages from one role to another.
//
// One producer, one consumer, which may run on different threads. Messages are records of any size in a chain of
// segments, the first of which is part of the channel; a segment that the consumer has left goes back to the producer,
// so a channel in steady use allocates nothing.
//
// Invariant: oldest .. reading .. write are one chain. The producer owns everything before `reading` and what is after
// its last published record; the consumer owns the rest.

#ifndef RUNTIME_CHANNEL_CHANNEL_H
#define RUNTIME_CHANNEL_CHANNEL_H

#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <chorex/generated.h>

enum {
    SEGMENT_FIRST_BYTES = 288,   // of the segment inside a channel
    SEGMENT_SECOND_BYTES = 4096, // the others, at least
    SEGMENT_MAX_BYTES = 65536,   // larger ones are made for a single message
    CACHE_LINE = 64,
};

typedef struct Actor Actor;

typedef chx_record Record;

// Such a record ends each segment but the last: the next one follows in the next segment.
#define SITE_NEXT_SEGMENT UINT32_MAX

typedef struct Segment Segment;
struct Segment {
    Segment *next;
    size_t capacity; // of data
    unsigned char data[];
};

typedef struct Channel {
    chx_channel head; // what the producer and the consumer need for every message, each in a cache line of its own

    // The producer's.
    Segment *writing;
    Segment *oldest;
    uint64_t taken_seen;
    uint64_t taken_bytes_seen;
    size_t segment_bytes; // of the last one allocated

    // The consumer's.
    _Atomic(Segment *) reading;
    uint64_t announced; // value of `taken` when the producer was last offered to go on
    uint64_t announced_bytes;
    _Atomic uint64_t taken_bytes; // without what projected code has taken since `counted`
    const unsigned char *counted;

    // Constant.
    Actor *producer;
    Actor *consumer;
    chx_runtime *runtime;
    uint64_t message_limit, byte_limit;
    bool is_fast;              // projected code may work on the head without a call: nobody observes it
    struct Arrivals *arrivals; // simulation, with delays: when messages arrive; guarded there
    struct ShmChannel *shm;    // its other end is another process; NULL: it is not
    alignas(16) unsigned char first[sizeof(Segment) + SEGMENT_FIRST_BYTES]; // a Segment
} Channel;
static_assert(sizeof(Channel) == CHX_CHANNEL_BYTES, "projected code knows how far apart channels are");

void channel_init(Channel *channel, chx_runtime *runtime, Actor *producer, Actor *consumer, uint32_t token,
                  uint64_t message_limit, uint64_t byte_limit);
// Frees the segments. Messages still in it must have been taken out.
void channel_fini(Channel *channel);

// Producer: may another message be sent? A message larger than the limit passes when the channel is empty.
bool channel_has_room(Channel *channel);
// Producer: how many projected code may send now without asking.
uint64_t channel_fast_sends(const Channel *channel);
// Producer: appends and publishes. False: no memory; then nothing was sent.
bool channel_push(Channel *channel, uint32_t site, const void *value, size_t size);

// Consumer: the next record, NULL if none is there. Its value follows it.
const Record *channel_peek(Channel *channel);
// Consumer: does the record belong to this channel, in this order?
bool channel_checks(const Channel *channel, const Record *record);
// Consumer: removes what channel_peek returned.
void channel_pop(Channel *channel, const Record *record);
// Consumer: has enough been taken out since the last time that a waiting producer should hear of it?
bool channel_should_announce(const Channel *channel);
// Consumer: lets projected code take so many messages without asking: until the producer should be told. To be called
// while this is the channel that the consumer owes its producer a word about; channel_announce takes it back.
uint64_t channel_allow_fast_takes(Channel *channel);
// Consumer: the producer is told of the room that there is (see actor_notify).
void channel_announce(Channel *channel);

#endif
