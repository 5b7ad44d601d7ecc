// queue.h: messages in order, with their values, in segments of memory.
//
// A small message costs no allocation of its own: many lie in one segment, one behind the other; if many wait, in larger ones. One that
// is larger than a segment has one to itself. An empty queue keeps a segment, so that one message at a time does not allocate, either;
// queue_trim gives it back.
//
// Messages are added at the end and dropped at the beginning, or from some place to the end.

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

typedef struct QueueSegment QueueSegment;
struct QueueSegment {
    QueueSegment *next;
    uint32_t used, capacity;
    _Alignas(8) uint8_t bytes[];
};

// Stands before a message or at the end. It stays valid when messages are added, and when others before it are dropped.
typedef struct {
    QueueSegment *segment; // NULL: the queue has never had a message
    uint32_t at;
} QueueCursor;

typedef struct {
    QueueSegment *last;
    QueueSegment *spare;
    QueueCursor begin;
    uint32_t count; // messages
    size_t bytes;   // of their values
} Queue;

// A message in a segment: this, and then its value, filled up to a multiple of 8.
typedef struct {
    uint64_t number;
    uint32_t size; // of the value
    uint32_t epoch, site;
    uint32_t unused;
} QueueEntry;

static inline uint32_t queue_entry_size(size_t value_size)
{
    return (uint32_t)(sizeof(QueueEntry) + (value_size + 7) / 8 * 8);
}

static inline QueueEntry *queue_entry(QueueCursor cursor)
{
    return (QueueEntry *)(void *)(cursor.segment->bytes + cursor.at);
}

// A cursor at the end of its segment stands at the beginning of the next one, if there is one. False: no message follows.
static inline bool queue_settle(QueueCursor *cursor)
{
    if (cursor->segment == NULL)
        return false;
    if (cursor->at == cursor->segment->used && cursor->segment->next != NULL)
        *cursor = (QueueCursor){cursor->segment->next, 0};
    return cursor->at < cursor->segment->used;
}

// The functions that are called for each message of a stream are inline.

void queue_fini(Queue *queue, const NetMemory *memory);
// Makes room for an entry of this size in the last segment. False: no memory.
bool queue_extend(Queue *queue, const NetMemory *memory, uint32_t size);

// A queue that is all zero is empty. False: no memory.
static inline bool queue_add(Queue *queue, const NetMemory *memory, const Message *message)
{
    CHECK(message->value.size <= WIRE_MESSAGE_MAX);
    uint32_t size = queue_entry_size(message->value.size);
    if ((queue->last == NULL || queue->last->capacity - queue->last->used < size) && !queue_extend(queue, memory, size))
        return false;
    QueueEntry *entry = queue_entry((QueueCursor){queue->last, queue->last->used});
    *entry = (QueueEntry){.number = message->number,
                          .size = (uint32_t)message->value.size,
                          .epoch = message->epoch,
                          .site = message->site};
    if (message->value.size > 0)
        memcpy(entry + 1, message->value.data, message->value.size);
    queue->last->used += size;
    queue->count++;
    queue->bytes += message->value.size;
    return true;
}

// The message behind the cursor, and the cursor moves on; false: there is none. The caller begins with queue->begin.
static inline bool queue_next(QueueCursor *cursor, Message *message)
{
    if (!queue_settle(cursor))
        return false;
    const QueueEntry *entry = queue_entry(*cursor);
    *message = (Message){.epoch = entry->epoch,
                         .site = entry->site,
                         .number = entry->number,
                         .value = {(const uint8_t *)(entry + 1), entry->size}};
    cursor->at += queue_entry_size(entry->size);
    return true;
}

// The first one stays where it is; false: there is none.
static inline bool queue_first(const Queue *queue, Message *message)
{
    QueueCursor cursor = queue->begin;
    return queue->count > 0 && queue_next(&cursor, message);
}

// The first segment has no message any more.
void queue_leave_segment(Queue *queue, const NetMemory *memory);

static inline void queue_drop_first(Queue *queue, const NetMemory *memory)
{
    CHECK(queue->count > 0 && queue_settle(&queue->begin));
    size_t size = queue_entry(queue->begin)->size;
    queue->begin.at += queue_entry_size(size);
    queue->count--;
    queue->bytes -= size;
    if (queue->begin.at == queue->begin.segment->used)
        queue_leave_segment(queue, memory);
}

// Drops everything behind the cursor.
void queue_cut(Queue *queue, const NetMemory *memory, QueueCursor from);
void queue_clear(Queue *queue, const NetMemory *memory);
// Gives back memory that is not needed at the moment.
void queue_trim(Queue *queue, const NetMemory *memory);

#endif
