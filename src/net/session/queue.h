// queue.h: messages in order, with their values, in segments of memory.
//
// A small message costs no allocation of its own: many lie in one segment, one behind the other. One that is larger than a
// segment has one to itself. An empty queue keeps a segment, so that one message at a time does not allocate, either;
// queue_trim gives it back.
//
// Messages are added at the end and dropped at the beginning, or from some place to the end.

#ifndef NET_SESSION_QUEUE_H
#define NET_SESSION_QUEUE_H

#include "net/memory.h"
#include "net/wire/wire.h"

typedef struct {
    uint32_t epoch;
    uint32_t site;
    uint64_t number;
    WireSpan value; // in the queue: valid until the message is dropped
} Message;

enum { QUEUE_SEGMENT_BYTES = 4000 };

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

void queue_fini(Queue *queue, const NetMemory *memory);
// A queue that is all zero is empty. False: no memory.
bool queue_add(Queue *queue, const NetMemory *memory, const Message *message);
// The message behind the cursor, and the cursor moves on; false: there is none. The caller begins with queue->begin.
bool queue_next(QueueCursor *cursor, Message *message);
// The first one stays where it is; false: there is none.
bool queue_first(const Queue *queue, Message *message);
void queue_drop_first(Queue *queue, const NetMemory *memory);
// Drops everything behind the cursor.
void queue_cut(Queue *queue, const NetMemory *memory, QueueCursor from);
void queue_clear(Queue *queue, const NetMemory *memory);
// Gives back memory that is not needed at the moment.
void queue_trim(Queue *queue, const NetMemory *memory);

#endif
