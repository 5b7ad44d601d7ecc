// queue.c: see queue.h.

#include "net/session/queue.h"

#include "base/check.h"

// A message in a segment: this, and then its value, filled up to a multiple of 8.
typedef struct {
    uint64_t number;
    uint32_t size; // of the value
    uint32_t epoch, site;
    uint32_t unused;
} Entry;

static uint32_t entry_size(size_t value_size)
{
    return (uint32_t)(sizeof(Entry) + (value_size + 7) / 8 * 8);
}

static Entry *entry_at(QueueCursor cursor)
{
    return (Entry *)(void *)(cursor.segment->bytes + cursor.at);
}

// A cursor at the end of its segment stands at the beginning of the next one, if there is one. False: no message follows.
static bool cursor_settle(QueueCursor *cursor)
{
    if (cursor->segment == NULL)
        return false;
    if (cursor->at == cursor->segment->used && cursor->segment->next != NULL)
        *cursor = (QueueCursor){cursor->segment->next, 0};
    return cursor->at < cursor->segment->used;
}

static void segment_release(Queue *queue, const NetMemory *memory, QueueSegment *segment)
{
    if (queue->spare == NULL && segment->capacity == QUEUE_SEGMENT_BYTES)
        queue->spare = segment;
    else
        memory_release(memory, segment);
}

static QueueSegment *segment_get(Queue *queue, const NetMemory *memory, uint32_t size)
{
    QueueSegment *segment = queue->spare;
    uint32_t capacity = size > QUEUE_SEGMENT_BYTES ? size : QUEUE_SEGMENT_BYTES;
    if (segment != NULL && capacity == QUEUE_SEGMENT_BYTES)
        queue->spare = NULL;
    else
        segment = memory_allocate(memory, sizeof *segment + capacity);
    if (segment != NULL) {
        segment->next = NULL;
        segment->used = 0;
        segment->capacity = capacity;
    }
    return segment;
}

bool queue_add(Queue *queue, const NetMemory *memory, const Message *message)
{
    CHECK(message->value.size <= WIRE_MESSAGE_MAX);
    uint32_t size = entry_size(message->value.size);
    if (queue->last == NULL || queue->last->capacity - queue->last->used < size) {
        QueueSegment *segment = segment_get(queue, memory, size);
        if (segment == NULL)
            return false;
        if (queue->count > 0) {
            queue->last->next = segment;
        } else {
            // An empty one that is too small does not stay before it.
            if (queue->last != NULL)
                segment_release(queue, memory, queue->last);
            queue->begin = (QueueCursor){segment, 0};
        }
        queue->last = segment;
    }
    Entry *entry = entry_at((QueueCursor){queue->last, queue->last->used});
    *entry = (Entry){.number = message->number,
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

bool queue_next(QueueCursor *cursor, Message *message)
{
    if (!cursor_settle(cursor))
        return false;
    const Entry *entry = entry_at(*cursor);
    *message = (Message){.epoch = entry->epoch,
                         .site = entry->site,
                         .number = entry->number,
                         .value = {(const uint8_t *)(entry + 1), entry->size}};
    cursor->at += entry_size(entry->size);
    return true;
}

bool queue_first(const Queue *queue, Message *message)
{
    QueueCursor cursor = queue->begin;
    return queue->count > 0 && queue_next(&cursor, message);
}

// There is no message: the only segment is used from its beginning, unless it was made for a large message.
static void queue_rewind(Queue *queue, const NetMemory *memory)
{
    QueueSegment *segment = queue->last;
    CHECK(queue->count == 0 && segment == queue->begin.segment);
    if (segment->capacity == QUEUE_SEGMENT_BYTES) {
        segment->used = queue->begin.at = 0;
        return;
    }
    memory_release(memory, segment);
    queue->last = NULL;
    queue->begin = (QueueCursor){0};
}

void queue_drop_first(Queue *queue, const NetMemory *memory)
{
    CHECK(queue->count > 0 && cursor_settle(&queue->begin));
    size_t size = entry_at(queue->begin)->size;
    queue->begin.at += entry_size(size);
    queue->count--;
    queue->bytes -= size;
    QueueSegment *segment = queue->begin.segment;
    if (queue->begin.at < segment->used)
        return;
    if (segment->next != NULL) {
        queue->begin = (QueueCursor){segment->next, 0};
        segment_release(queue, memory, segment);
    } else {
        queue_rewind(queue, memory);
    }
}

void queue_cut(Queue *queue, const NetMemory *memory, QueueCursor from)
{
    QueueCursor cursor = from;
    Message message;
    while (queue_next(&cursor, &message)) {
        queue->count--;
        queue->bytes -= message.value.size;
    }
    if (from.segment == NULL)
        return;
    while (from.segment->next != NULL) {
        QueueSegment *segment = from.segment->next;
        from.segment->next = segment->next;
        segment_release(queue, memory, segment);
    }
    from.segment->used = from.at;
    queue->last = from.segment;
    if (queue->count == 0)
        queue_rewind(queue, memory);
}

void queue_clear(Queue *queue, const NetMemory *memory)
{
    while (queue->count > 0)
        queue_drop_first(queue, memory);
}

void queue_trim(Queue *queue, const NetMemory *memory)
{
    memory_release(memory, queue->spare);
    queue->spare = NULL;
    if (queue->count == 0) {
        memory_release(memory, queue->last);
        queue->last = NULL;
        queue->begin = (QueueCursor){0};
    }
}

void queue_fini(Queue *queue, const NetMemory *memory)
{
    queue_clear(queue, memory);
    queue_trim(queue, memory);
}
