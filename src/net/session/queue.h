// queue.h: messages in order, with their values, in segments of memory.
//
// A small message costs no allocation of its own: many lie in one segment, one behind the other; if many wait, in larger ones. One that
// is larger than a segment has one to itself. An empty queue keeps a segment, so that one message at a time does not allocate, either;
// queue_trim gives it back.
//
// Messages are added at the end and dropped at the beginning, or from some place to the end.
//
// The messages of a segment are of one epoch, and their numbers follow one another. So they lie there as they travel (the field `more`
// of DATA), and as the runtime hands them over (chx_part_message): a run of them is copied, and dropped, at once.

#ifndef NET_SESSION_QUEUE_H
#define NET_SESSION_QUEUE_H

#include "base/check.h"
#include "net/memory.h"
#include "net/wire/wire.h"

typedef struct {
    uint32_t epoch;
    uint32_t site;
    uint64_t number;
    WireSpan value; // in the queue: valid until the message is dropped
} Message;

enum { QUEUE_SEGMENT_BYTES = 4000, QUEUE_FURTHER_BYTES = 16000 };

// A message in a segment, or in a run: its site and the size of its value, little-endian numbers of 4 bytes, then the value.
enum { QUEUE_HEAD_BYTES = 8 };

typedef struct QueueSegment QueueSegment;
struct QueueSegment {
    QueueSegment *next;
    uint32_t used, capacity;
    uint64_t first, end; // the number of its first message, and that behind its last one
    uint32_t epoch;
    _Alignas(8) uint8_t bytes[];
};

// Stands before a message or at the end. It stays valid when messages are added, and when others before it are dropped.
typedef struct {
    QueueSegment *segment; // NULL: the queue has never had a message
    uint32_t at;
    uint64_t number; // of the message there
} QueueCursor;

typedef struct {
    QueueSegment *last;
    QueueSegment *spare;
    QueueCursor begin;
    uint32_t count; // messages
    size_t bytes;   // of their values
} Queue;

// Messages that follow one another, of one epoch, as they lie in a segment.
typedef struct {
    uint32_t epoch;
    uint32_t count;
    uint64_t number;   // of the first one
    WireSpan messages; // with their heads
} QueueRun;

static inline uint32_t queue_site(const uint8_t *message)
{
    return (uint32_t)wire_get(message, 4);
}

static inline uint32_t queue_value_size(const uint8_t *message)
{
    return (uint32_t)wire_get(message + 4, 4);
}

// A cursor at the end of its segment stands at the beginning of the next one, if there is one. False: no message follows.
static inline bool queue_settle(QueueCursor *cursor)
{
    if (cursor->segment == NULL)
        return false;
    if (cursor->at == cursor->segment->used && cursor->segment->next != NULL)
        *cursor = (QueueCursor){cursor->segment->next, 0, cursor->segment->next->first};
    return cursor->at < cursor->segment->used;
}

// The functions that are called for each message of a stream are inline.

void queue_fini(Queue *queue, const NetMemory *memory);
// Makes room for so many bytes in the last segment, for messages from this place on. False: no memory.
bool queue_reserve(Queue *queue, const NetMemory *memory, uint32_t epoch, uint64_t number, size_t size);

// A queue that is all zero is empty. False: no memory.
static inline bool queue_add(Queue *queue, const NetMemory *memory, const Message *message)
{
    CHECK(message->value.size <= WIRE_MESSAGE_MAX);
    size_t size = QUEUE_HEAD_BYTES + message->value.size;
    if (!queue_reserve(queue, memory, message->epoch, message->number, size))
        return false;
    QueueSegment *last = queue->last;
    uint8_t *to = wire_put(wire_put(last->bytes + last->used, message->site, 4), message->value.size, 4);
    if (message->value.size > 0)
        memcpy(to, message->value.data, message->value.size);
    last->used += (uint32_t)size;
    last->end++;
    queue->count++;
    queue->bytes += message->value.size;
    return true;
}

// The same for a run. Its values have so many bytes.
bool queue_add_run(Queue *queue, const NetMemory *memory, const QueueRun *run, size_t bytes);

// The message behind the cursor, and the cursor moves on; false: there is none. The caller begins with queue->begin.
static inline bool queue_next(QueueCursor *cursor, Message *message)
{
    if (!queue_settle(cursor))
        return false;
    const uint8_t *at = cursor->segment->bytes + cursor->at;
    *message = (Message){.epoch = cursor->segment->epoch,
                         .site = queue_site(at),
                         .number = cursor->number++,
                         .value = {at + QUEUE_HEAD_BYTES, queue_value_size(at)}};
    cursor->at += QUEUE_HEAD_BYTES + (uint32_t)message->value.size;
    return true;
}

// The messages behind the cursor that are in one segment; the cursor stays. False: there are none.
static inline bool queue_run(QueueCursor *cursor, QueueRun *run)
{
    if (!queue_settle(cursor))
        return false;
    const QueueSegment *segment = cursor->segment;
    *run = (QueueRun){.epoch = segment->epoch,
                      .count = (uint32_t)(segment->end - cursor->number),
                      .number = cursor->number,
                      .messages = {segment->bytes + cursor->at, segment->used - cursor->at}};
    return true;
}

// Shortens a run to at most so many messages and so many bytes. It may become empty.
void queue_run_cut(QueueRun *run, uint32_t count, size_t size);

// The cursor that the run was made from moves behind it.
static inline void queue_pass(QueueCursor *cursor, const QueueRun *run)
{
    cursor->at += (uint32_t)run->messages.size;
    cursor->number += run->count;
}

// The first one stays where it is; false: there is none.
static inline bool queue_first(const Queue *queue, Message *message)
{
    QueueCursor cursor = queue->begin;
    return queue->count > 0 && queue_next(&cursor, message);
}

// Drops messages at the beginning: so many, or fewer, if they are not all in one segment. How many; *bytes: those of their values.
uint32_t queue_drop(Queue *queue, const NetMemory *memory, uint32_t count, size_t *bytes);
void queue_drop_first(Queue *queue, const NetMemory *memory);

// Drops everything behind the cursor.
void queue_cut(Queue *queue, const NetMemory *memory, QueueCursor from);
void queue_clear(Queue *queue, const NetMemory *memory);
// Gives back memory that is not needed at the moment.
void queue_trim(Queue *queue, const NetMemory *memory);

#endif
