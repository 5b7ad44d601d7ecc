// timer_heap.h: timers in the order in which they are due.
//
// A timer is a part of whatever it belongs to, and the heap consists of the timers alone: it needs no memory of its own,
// so that nothing here can fail. Setting a timer takes a few steps; changing, cancelling and taking the first one take a
// number of steps that on average grows with the logarithm of the number of timers; the first one is found at once.
// Timers that are due at the same time come in the order in which they were set. The caller serialises all calls.

#ifndef RUNTIME_PLATFORM_TIMER_HEAP_H
#define RUNTIME_PLATFORM_TIMER_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Timer Timer;
struct Timer {
    uint64_t due_ns;
    uint64_t order; // among those that are due at the same time
    Timer *child;   // the first of those below it, none of which is due before it
    Timer *next;    // beside it
    Timer **link;   // what points to it; NULL: it is not set
};

typedef struct {
    Timer *first;   // the one that is due first; NULL: none is set
    uint64_t order; // of the timer that was set last
} TimerHeap;

// Sets the timer, or changes when it is due if it is set.
void timer_heap_set(TimerHeap *heap, Timer *timer, uint64_t due_ns);
// Cancels it. Does nothing if it is not set.
void timer_heap_remove(TimerHeap *heap, Timer *timer);

static inline bool timer_is_set(const Timer *timer)
{
    return timer->link != NULL;
}

#endif
