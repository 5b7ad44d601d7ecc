// channel.h: a bounded queue of messages from one role to another, whatever lies between the two.
//
// A channel has one producer and one consumer, each of which uses it from one thread at a time. Where its messages lie
// is the business of an implementation, which is known by its table of operations, ChannelOps:
//   memory_channel.c  both ends are actors of this process;
//   shm_channel.c     the other end is an actor of another process on this machine, through shared memory;
//   part_channel.c    (in remote/) the other end may be on another host, and what lies between is another library's.
// The code that performs the steps of a role (actor/steps.c) uses nothing but the table. The one exception is the inline
// code in chorex/generated.h, which sends and receives in the memory of a memory channel without a call. Every other
// implementation sets the channel's head so that this code always falls back to a call (see channel_disable_fast).

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
    SEGMENT_FIRST_BYTES = 272,   // of the segment inside a channel
    SEGMENT_SECOND_BYTES = 4096, // the others, at least
    SEGMENT_MAX_BYTES = 65536,   // larger ones are made for a single message
    CACHE_LINE = 64,
};

typedef struct Actor Actor;
typedef struct Channel Channel;

// What precedes each message: its site, the size of its value, its epoch, and a check of the channel and its order.
typedef chx_record Record;

// The outcome of an operation.
typedef enum {
    CHANNEL_DONE,
    CHANNEL_EMPTY,     // read: there is no message after all; wait for one
    CHANNEL_AGAIN,     // read: the message that peek returned was not to be relied on; call peek again
    CHANNEL_NO_MEMORY, // there is no memory for it
    CHANNEL_CLOSED,    // the program's own code has closed the descriptor that it needs; `explain` says so
    CHANNEL_FAILED,    // for another reason, which `explain` tells
} ChannelStatus;

// After a message was taken out: when is the producer to be told of the room?
typedef struct {
    bool is_due;         // now; otherwise it can wait for more, at most until the consumer itself waits for something
    uint64_t fast_takes; // not due: so many messages the inline code may now take out without a call
} ChannelCredit;

// The operations of a channel.
//
// The producer is the actor that sends on the channel, the consumer the one that receives from it. An operation is called
// only by the actor that is named with it, on the thread that runs it; operations of the producer and of the consumer may
// run at the same time. No operation blocks, waits for the other end, or calls back into the code that performs steps. (The
// only sleep is in a process of an isolated role which has just reported that the other end breaks the rules: it has
// nothing to do until that has been looked into.)
//
// Encoding and decoding run the user's codecs, which may fail: then `send` and `read` do not return, but jump to the
// current guard. What they have allocated until then must be found again by a later operation, so it belongs to the
// channel and not to the function.
//
// "Telling" the other end means: if it waits for this channel, it looks again. When the other end is an actor of this
// process, only the caller can do that, because it knows the worker that it runs on. So the operations that tell
// (notify_sent, flush_credit) return false if they have not told the other end, and the caller does it (actor_notify).
typedef struct {
    // The other end is code of this process. A message that makes no sense is then a mistake in this library; otherwise
    // it is the failure of a peer, which a checkpoint can rescue.
    bool is_trusted;
    // The other end runs elsewhere and needs no thread of this process to answer: so it pays to look for its answer again and
    // again before waiting.
    bool answers_alone;

    // ---- called by the producer ----

    // How many messages may be sent now without asking again; 0: there is no room, wait for it. The channel is bounded
    // by a number of messages and by a number of bytes. There is room while both are below their bounds, so that a value
    // larger than the bound passes when the channel is empty.
    uint64_t (*room)(Channel *channel);
    // Appends a message of the epoch head.sending.epoch. There must be room. The value, `size` bytes in the form that it
    // has in C, belongs to the channel afterwards, whatever the outcome. The consumer may see the message from now on,
    // but is not told before notify_sent. On failure nothing was sent.
    ChannelStatus (*send)(Channel *channel, uint32_t site, void *value, size_t size);
    // Tells the consumer of what was sent. *credit_pending is a channel of which the caller is the consumer and whose
    // producer is still to be told of room, or NULL. If that can be told at little cost in passing, it is, and
    // *credit_pending becomes NULL.
    bool (*notify_sent)(Channel *channel, Channel **credit_pending);

    // ---- called by the consumer ----

    // The next message, of whatever epoch, or NULL: none is there now. The caller compares the epoch with
    // head.taking.epoch: it drops older messages (of an attempt that was abandoned) and leaves newer ones where they are
    // (the producer is ahead; the consumer is about to be rolled back or to enter a block). The record is valid until
    // the next operation of the consumer, and only its site and epoch mean something to the caller.
    const Record *(*peek)(Channel *channel);
    // Right after peek has returned a message of the current epoch: its value, which must be of this site and, in C, of
    // this size. It stays in the channel and belongs to the channel until `take`; the caller may read it until then, but
    // its address need not be aligned.
    ChannelStatus (*read)(Channel *channel, uint32_t site, size_t size, const void **value);
    // After `read`: removes the message. What the value owns now belongs to the caller, who has copied it. The caller
    // owes the producer the credit for it, and calls flush_credit now if it is due, else before it waits.
    ChannelCredit (*take)(Channel *channel);
    // Right after peek has returned a message of an older epoch: removes it and drops what its value owns. The caller
    // owes the producer the credit for it. False: no older message can be there any more, so the other end breaks the
    // rules; the message was left and the caller treats the channel as empty.
    bool (*drop)(Channel *channel);
    // Tells the producer of the room that was made by all that was taken out and dropped.
    bool (*flush_credit)(Channel *channel);

    // ---- called by either end, which says which one it is ----

    // The caller is about to wait: the producer for room, the consumer for a message. The other end tells it of every
    // change from now on. The caller then looks once more (room, peek) before it really waits. NULL: the other end sees
    // by itself what this one waits for.
    void (*announce_wait)(Channel *channel, bool for_room);
    // The producer: the number of the message that was sent last; the consumer: of the one that comes next.
    uint64_t (*sequence)(const Channel *channel, bool is_producer);
    // Why the last operation of this end at this site returned CHANNEL_CLOSED or CHANNEL_FAILED, as a sentence for users.
    void (*explain)(Channel *channel, uint32_t site, char *why, size_t size);

    // ---- called when neither end runs any more ----

    // Drops the messages that are still there and frees what the channel has allocated. The channel can't be used again.
    void (*close)(Channel *channel);
} ChannelOps;

// Memory of a memory channel; see memory_channel.c.
typedef struct Segment Segment;
struct Segment {
    Segment *next;
    size_t capacity; // of data
    unsigned char data[];
};

struct Channel {
    chx_channel head; // what the producer and the consumer need for every message, each in a cache line of its own

    // The producer's.
    Segment *writing;
    Segment *oldest;
    uint64_t taken_seen;
    uint64_t taken_bytes_seen;
    size_t segment_bytes; // of the last one allocated

    // The consumer's.
    _Atomic(Segment *) reading;
    uint64_t announced; // value of `taken` when the producer was last told of room
    uint64_t announced_bytes;
    _Atomic uint64_t taken_bytes; // without what projected code has taken since `counted`
    const unsigned char *counted;

    // Constant. Besides these, head.sending.check and head.taking.check begin with a token that is in each message, with
    // its number: so a message of another channel is noticed.
    const ChannelOps *ops;
    void *transport;      // what belongs to an implementation other than memory_channel.c
    const chx_role *role; // whose table of sites says what travels: the consumer's, or that of the end in this process
    Actor *producer;
    Actor *consumer;
    chx_runtime *runtime; // whose allocator is used
    uint64_t message_limit, byte_limit;
    bool is_fast; // projected code may work on the head without a call: no trace or simulation observes it
    alignas(16) unsigned char first[sizeof(Segment) + SEGMENT_FIRST_BYTES]; // a Segment
};
static_assert(sizeof(Channel) == CHX_CHANNEL_BYTES, "projected code knows how far apart channels are");

extern const ChannelOps memory_channel_ops;
// Makes an empty memory channel of one whose constants are set and whose rest is zero. It allocates nothing. Another
// implementation can take the channel over before it is used.
void memory_channel_init(Channel *channel);
// Neither end of the memory channel runs meanwhile, on any thread. If it is empty, the next message lies at the beginning of its
// memory again, if possible of the part that is in the channel: a session that goes on after a while then touches the same few cache
// lines as before.
void memory_channel_rewind(Channel *channel);

// For an implementation that keeps its messages elsewhere: projected code makes a call for every send and receive.
static inline void channel_disable_fast(Channel *channel)
{
    channel->is_fast = false;
    // No message may be sent without asking, and there is no place to write one.
    channel->head.sent_stop = 0;
    channel->head.write = channel->head.write_end = channel->first;
    // There seem to be messages, none of which may be taken out without asking.
    channel->head.sent_seen = UINT64_MAX;
    channel->head.taken_stop = 0;
}

#endif
