// timers.c: see timers.h. A binary heap of pointers.

#include "net/node/timers.h"

#include "base/check.h"

#include <stdlib.h>

bool timers_promise(Timers *timers)
{
    if (timers->promised + 1 >= timers->capacity) {
        size_t capacity = timers->capacity == 0 ? 16 : timers->capacity * 2;
        Timer **heap = realloc(timers->heap, capacity * sizeof(Timer *));
        if (heap == NULL)
            return false;
        timers->heap = heap;
        timers->capacity = capacity;
    }
    timers->promised++;
    return true;
}

void timers_release(Timers *timers)
{
    CHECK(timers->promised > timers->count);
    timers->promised--;
}

void timers_fini(Timers *timers)
{
    free(timers->heap);
    *timers = (Timers){0};
}

static void put(Timers *timers, Timer *timer, size_t at)
{
    timers->heap[at] = timer;
    timer->at = at;
}

static void move_up(Timers *timers, Timer *timer, size_t at)
{
    for (; at > 1 && timer->when_ns < timers->heap[at / 2]->when_ns; at /= 2)
        put(timers, timers->heap[at / 2], at);
    put(timers, timer, at);
}

static void move_down(Timers *timers, Timer *timer, size_t at)
{
    for (;;) {
        size_t child = at * 2;
        if (child > timers->count)
            break;
        if (child < timers->count && timers->heap[child + 1]->when_ns < timers->heap[child]->when_ns)
            child++;
        if (timer->when_ns <= timers->heap[child]->when_ns)
            break;
        put(timers, timers->heap[child], at);
        at = child;
    }
    put(timers, timer, at);
}

static void take_out(Timers *timers, Timer *timer)
{
    size_t at = timer->at;
    Timer *last = timers->heap[timers->count--];
    timer->at = 0;
    if (last == timer)
        return;
    if (at > 1 && last->when_ns < timers->heap[at / 2]->when_ns)
        move_up(timers, last, at);
    else
        move_down(timers, last, at);
}

void timer_set(Timers *timers, Timer *timer, uint64_t when_ns)
{
    if (timer->at != 0)
        take_out(timers, timer);
    timer->when_ns = when_ns;
    if (when_ns == UINT64_MAX)
        return;
    CHECK(timers->count < timers->promised);
    move_up(timers, timer, ++timers->count);
}

void timer_hasten(Timers *timers, Timer *timer, uint64_t when_ns)
{
    if (timer->at == 0 || when_ns < timer->when_ns)
        timer_set(timers, timer, when_ns);
}

uint64_t timers_next_ns(const Timers *timers)
{
    return timers->count == 0 ? UINT64_MAX : timers->heap[1]->when_ns;
}

void timers_run(Timers *timers, uint64_t now_ns)
{
    // Those that are set again for a moment that has come wait for the next call.
    for (size_t left = timers->count; left > 0 && timers_next_ns(timers) <= now_ns; left--) {
        Timer *timer = timers->heap[1];
        timer_set(timers, timer, UINT64_MAX);
        timer->run(timer, now_ns);
    }
}
