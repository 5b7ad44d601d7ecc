// channel.h: bounded queue of messages from one role to another.
//
// One producer, one consumer, which may run on different threads. Messages are records of any size in a chain of
// segments, the first of which is part of the channel; a segment that the consumer has left goes back to the producer,
// so a channel in steady use allocates nothing.
//
// Invariant: oldest .. reading .. write are one chain. The producer owns everything before `reading` and what is after
// its last published record; the consumer owns the rest.

#ifndef RUNTIME_CORE_CHANNEL_H
#define RUNTIME_CORE_CHANNEL_H

#include "runtime/core/private.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <chorex/generated.h>

enum {
    SEGMENT_FIRST_BYTES = 256, // records of the segment inside a channel
    SEGMENT_MAX_BYTES = 65536, // larger ones are made for a single message
    CACHE_LINE = 64,
};

typedef struct Actor Actor;

typedef struct {
    uint32_t site;
    uint32_t size;     // of the value that follows
    uint32_t epoch;
    uint32_t check;    // token and sequence number together: a foreign or repeated message is noticed
} Record;

typedef struct Segment Segment;
struct Segment {
    Segment *next;
    uint32_t capacity;
    _Atomic uint32_t used; // bytes; SEGMENT_OPEN while the producer still writes here
    unsigned char data[];
};
#define SEGMENT_OPEN UINT32_MAX

typedef struct Channel {
    // The producer's.
    alignas(CACHE_LINE) _Atomic uint64_t sent; // messages published
    uint64_t sent_bytes;
    uint64_t taken_seen;
    uint64_t taken_bytes_seen;
    Segment *write;
    Segment *oldest;
    uint32_t write_at;
    uint32_t segment_bytes; // of the last one allocated
    Actor *consumer;
    uint32_t send_epoch; // what is sent now belongs to this epoch

    // The consumer's.
    alignas(CACHE_LINE) _Atomic uint64_t taken; // messages taken out
    _Atomic uint64_t taken_bytes;
    _Atomic(Segment *) reading;
    uint64_t sent_seen;
    uint64_t announced;       // value of `taken` when the producer was last offered to go on
    uint64_t announced_bytes;
    uint32_t read_at;
    uint32_t take_epoch; // older messages are dropped, newer ones left for later
    Actor *producer;

    // Constant.
    alignas(CACHE_LINE) chx_runtime *runtime;
    uint64_t message_limit, byte_limit;
    struct Arrivals *arrivals; // simulation, with delays: when messages arrive; guarded there
    uint32_t token;
    alignas(16) unsigned char first[sizeof(Segment) + SEGMENT_FIRST_BYTES]; // a Segment
} Channel;

void channel_init(Channel *channel, chx_runtime *runtime, Actor *producer, Actor *consumer, uint32_t token,
                  uint64_t message_limit, uint64_t byte_limit);
// Frees the segments. Messages still in it must have been taken out.
void channel_fini(Channel *channel);

// Producer: may another message be sent? A message larger than the limit passes when the channel is empty.
bool channel_has_room(Channel *channel);
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
// Consumer: makes the room visible to a producer that is about to wait. Afterwards look whether it waits.
void channel_announce(Channel *channel);

#endif
