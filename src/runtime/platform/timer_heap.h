// timer_heap.h: timers in the order in which they are due.
//
// A timer is a part of whatever it belongs to; the heap only has an array of pointers to them. Setting, changing and
// cancelling one takes a number of steps that grows with the logarithm of the number of timers; the first one is found
// at once. Timers that are due at the same time come in the order in which they were set.
//
// Memory is needed only for the array, and only to reserve a place in it: whoever may have to set a timer where it
// can't fail reserves the place beforehand. Nothing else here can fail. The caller serialises all calls.

#ifndef RUNTIME_PLATFORM_TIMER_HEAP_H
#define RUNTIME_PLATFORM_TIMER_HEAP_H

#include <chorex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t due_ns;
    uint64_t order; // among those that are due at the same time
    size_t place;   // in the array, counted from 1; 0: it is not set
} Timer;

// Where the array's memory comes from. NULL: there is none left.
typedef struct {
    void *(*allocate)(chx_runtime *runtime, size_t size);
    void (*release)(chx_runtime *runtime, void *memory);
    chx_runtime *runtime;
} TimerMemory;

typedef struct {
    TimerMemory memory;
    Timer **timers; // a heap in which each has up to four children
    size_t count, capacity;
    size_t reserved; // places; count <= reserved <= capacity
    uint64_t order;  // of the timer that was set last
} TimerHeap;

void timer_heap_init(TimerHeap *heap, TimerMemory memory);
void timer_heap_fini(TimerHeap *heap);
// Places for so many timers more than are reserved already. False: no memory; nothing is reserved then.
bool timer_heap_reserve(TimerHeap *heap, size_t count);
// These are not needed any more; no timer that is set uses them.
void timer_heap_give_back(TimerHeap *heap, size_t count);
// Sets the timer, for which a place is reserved; or changes when it is due if it is set.
void timer_heap_set(TimerHeap *heap, Timer *timer, uint64_t due_ns);
// Cancels it. Does nothing if it is not set.
void timer_heap_remove(TimerHeap *heap, Timer *timer);

static inline bool timer_is_set(const Timer *timer)
{
    return timer->place != 0;
}

// The one that is due first. NULL: none is set.
static inline Timer *timer_heap_first(const TimerHeap *heap)
{
    return heap->count != 0 ? heap->timers[0] : NULL;
}

#endif
