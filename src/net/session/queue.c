// queue.c: see queue.h.

#include "net/session/queue.h"

static void segment_release(Queue *queue, const NetMemory *memory, QueueSegment *segment)
{
    if (queue->spare == NULL && segment->capacity == QUEUE_SEGMENT_BYTES)
        queue->spare = segment;
    else
        memory_release(memory, segment);
}

static QueueSegment *segment_get(Queue *queue, const NetMemory *memory, size_t size)
{
    QueueSegment *segment = queue->spare;
    // A segment that ends early, since another epoch begins, does not mean that many messages wait.
    bool are_many = queue->count > 0 && queue->last->used > QUEUE_SEGMENT_BYTES / 2;
    size_t usual = are_many ? QUEUE_FURTHER_BYTES : QUEUE_SEGMENT_BYTES;
    size_t capacity = size > usual ? size : usual;
    if (segment != NULL && capacity == QUEUE_SEGMENT_BYTES)
        queue->spare = NULL;
    else
        segment = capacity <= UINT32_MAX ? memory_allocate(memory, sizeof *segment + capacity) : NULL;
    if (segment != NULL) {
        segment->next = NULL;
        segment->used = 0;
        segment->capacity = (uint32_t)capacity;
    }
    return segment;
}

static bool queue_extend(Queue *queue, const NetMemory *memory, size_t size)
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
        queue->begin = (QueueCursor){.segment = segment};
    }
    queue->last = segment;
    return true;
}

bool queue_reserve(Queue *queue, const NetMemory *memory, uint32_t epoch, uint64_t number, size_t size)
{
    QueueSegment *last = queue->last;
    bool follows = last != NULL && (queue->count == 0 || (last->epoch == epoch && last->end == number));
    if ((!follows || last->capacity - last->used < size) && !queue_extend(queue, memory, size))
        return false;
    last = queue->last;
    if (last->used == 0) {
        last->epoch = epoch;
        last->first = last->end = number;
    }
    if (queue->count == 0)
        queue->begin.number = number;
    return true;
}

bool queue_add_run(Queue *queue, const NetMemory *memory, const QueueRun *run, size_t bytes)
{
    if (!queue_reserve(queue, memory, run->epoch, run->number, run->messages.size))
        return false;
    QueueSegment *last = queue->last;
    memcpy(last->bytes + last->used, run->messages.data, run->messages.size);
    last->used += (uint32_t)run->messages.size;
    last->end += run->count;
    queue->count += run->count;
    queue->bytes += bytes;
    return true;
}

// How many bytes the first `count` messages have.
static size_t run_size(const uint8_t *messages, uint32_t count)
{
    size_t size = 0;
    for (; count > 0; count--)
        size += QUEUE_HEAD_BYTES + queue_value_size(messages + size);
    return size;
}

void queue_run_cut(QueueRun *run, uint32_t count, size_t size)
{
    if (run->count <= count && run->messages.size <= size)
        return;
    uint32_t most = run->count < count ? run->count : count;
    const uint8_t *at = run->messages.data;
    size_t left = size;
    for (run->count = 0; run->count < most; run->count++) {
        size_t next = (size_t)QUEUE_HEAD_BYTES + queue_value_size(at);
        if (next > left)
            break;
        at += next;
        left -= next;
    }
    run->messages.size = (size_t)(at - run->messages.data);
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

// The first segment has no message any more.
static void queue_leave_segment(Queue *queue, const NetMemory *memory)
{
    QueueSegment *segment = queue->begin.segment;
    if (segment->next != NULL) {
        queue->begin = (QueueCursor){segment->next, 0, segment->next->first};
        segment_release(queue, memory, segment);
    } else {
        queue_rewind(queue, memory);
    }
}

uint32_t queue_drop(Queue *queue, const NetMemory *memory, uint32_t count, size_t *bytes)
{
    QueueRun run;
    CHECK(queue->count > 0 && queue_run(&queue->begin, &run));
    if (count < run.count) {
        run.count = count;
        run.messages.size = run_size(run.messages.data, count);
    }
    *bytes = run.messages.size - (size_t)QUEUE_HEAD_BYTES * run.count;
    queue_pass(&queue->begin, &run);
    queue->count -= run.count;
    queue->bytes -= *bytes;
    if (queue->begin.at == queue->begin.segment->used)
        queue_leave_segment(queue, memory);
    return run.count;
}

void queue_drop_first(Queue *queue, const NetMemory *memory)
{
    size_t bytes;
    queue_drop(queue, memory, 1, &bytes);
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
    from.segment->end = from.number;
    queue->last = from.segment;
    if (queue->count == 0)
        queue_rewind(queue, memory);
}

void queue_clear(Queue *queue, const NetMemory *memory)
{
    size_t bytes;
    while (queue->count > 0)
        queue_drop(queue, memory, queue->count, &bytes);
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
