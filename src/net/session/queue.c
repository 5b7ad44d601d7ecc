// queue.c: see queue.h.

#include "net/session/queue.h"

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
    uint32_t usual = queue->count > 0 ? QUEUE_FURTHER_BYTES : QUEUE_SEGMENT_BYTES;
    uint32_t capacity = size > usual ? size : usual;
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

bool queue_extend(Queue *queue, const NetMemory *memory, uint32_t size)
{
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
    return true;
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

void queue_leave_segment(Queue *queue, const NetMemory *memory)
{
    QueueSegment *segment = queue->begin.segment;
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
