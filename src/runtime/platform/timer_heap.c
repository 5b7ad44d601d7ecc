// timer_heap.c: see timer_heap.h.

#include "runtime/platform/timer_heap.h"

#include "base/check.h"

#include <string.h>

enum {
    CHILDREN = 4, // half as deep as with two, and the children of one lie beside each other
    CAPACITY_MIN = 16,
};

void timer_heap_init(TimerHeap *heap, TimerMemory memory)
{
    *heap = (TimerHeap){.memory = memory};
}

void timer_heap_fini(TimerHeap *heap)
{
    if (heap->timers != NULL)
        heap->memory.release(heap->memory.runtime, heap->timers);
    heap->timers = NULL;
    heap->count = heap->capacity = heap->reserved = 0;
}

bool timer_heap_reserve(TimerHeap *heap, size_t count)
{
    if (count > heap->capacity - heap->reserved) {
        if (count > SIZE_MAX / sizeof(Timer *) / 4 - heap->capacity)
            return false;
        size_t capacity = heap->reserved + count;
        capacity = capacity < 2 * heap->capacity ? 2 * heap->capacity : capacity;
        capacity = capacity < CAPACITY_MIN ? CAPACITY_MIN : capacity;
        Timer **timers = heap->memory.allocate(heap->memory.runtime, capacity * sizeof(Timer *));
        if (timers == NULL)
            return false;
        if (heap->timers != NULL) {
            memcpy(timers, heap->timers, heap->count * sizeof(Timer *));
            heap->memory.release(heap->memory.runtime, heap->timers);
        }
        heap->timers = timers;
        heap->capacity = capacity;
    }
    heap->reserved += count;
    return true;
}

void timer_heap_give_back(TimerHeap *heap, size_t count)
{
    CHECK(heap->reserved - heap->count >= count);
    heap->reserved -= count;
}

static bool timer_is_before(const Timer *a, const Timer *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static void heap_put(TimerHeap *heap, size_t at, Timer *timer)
{
    heap->timers[at] = timer;
    timer->place = at + 1;
}

// The place `at` is free: the timer goes there, or further towards the first.
static void heap_rise(TimerHeap *heap, size_t at, Timer *timer)
{
    while (at > 0) {
        size_t parent = (at - 1) / CHILDREN;
        if (!timer_is_before(timer, heap->timers[parent]))
            break;
        heap_put(heap, at, heap->timers[parent]);
        at = parent;
    }
    heap_put(heap, at, timer);
}

// The place `at` is free: the timer goes there, or further away from the first.
static void heap_sink(TimerHeap *heap, size_t at, Timer *timer)
{
    for (;;) {
        size_t first = at * CHILDREN + 1, least = first;
        if (first >= heap->count)
            break;
        for (size_t child = first + 1; child < first + CHILDREN && child < heap->count; child++)
            if (timer_is_before(heap->timers[child], heap->timers[least]))
                least = child;
        if (!timer_is_before(heap->timers[least], timer))
            break;
        heap_put(heap, at, heap->timers[least]);
        at = least;
    }
    heap_put(heap, at, timer);
}

// The place `at` is free, and the timer may have to go either way from there.
static void heap_settle(TimerHeap *heap, size_t at, Timer *timer)
{
    if (at > 0 && timer_is_before(timer, heap->timers[(at - 1) / CHILDREN]))
        heap_rise(heap, at, timer);
    else
        heap_sink(heap, at, timer);
}

void timer_heap_set(TimerHeap *heap, Timer *timer, uint64_t due_ns)
{
    timer->due_ns = due_ns;
    timer->order = ++heap->order;
    if (timer_is_set(timer)) {
        heap_settle(heap, timer->place - 1, timer);
        return;
    }
    CHECK(heap->count < heap->reserved);
    heap_rise(heap, heap->count++, timer);
}

void timer_heap_remove(TimerHeap *heap, Timer *timer)
{
    if (!timer_is_set(timer))
        return;
    size_t at = timer->place - 1;
    Timer *last = heap->timers[--heap->count];
    timer->place = 0;
    if (last != timer)
        heap_settle(heap, at, last);
}
