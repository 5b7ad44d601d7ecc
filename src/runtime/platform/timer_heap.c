// timer_heap.c: a pairing heap. See timer_heap.h.
//
// Each timer has a list of children, which are not due before it. Two heaps are merged by making the later of their first
// timers a child of the other. Where a first timer is taken away, its children are merged in pairs, and these pairs with
// each other: that keeps the lists short.

#include "runtime/platform/timer_heap.h"

static bool timer_is_before(const Timer *a, const Timer *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static void timer_put(Timer **link, Timer *timer)
{
    *link = timer;
    if (timer != NULL)
        timer->link = link;
}

// `b` may be NULL. The caller puts the result in its place, and decides what is beside it.
static Timer *timers_merge(Timer *a, Timer *b)
{
    if (b == NULL)
        return a;
    Timer *first = timer_is_before(b, a) ? b : a, *later = first == a ? b : a;
    timer_put(&later->next, first->child);
    timer_put(&first->child, later);
    return first;
}

// Makes one heap of a list of them. NULL: the list is empty.
static Timer *timers_join(Timer *list)
{
    Timer *pairs = NULL, *whole = NULL;
    while (list != NULL) {
        Timer *one = list, *other = one->next;
        list = other != NULL ? other->next : NULL;
        Timer *pair = timers_merge(one, other);
        pair->next = pairs;
        pairs = pair;
    }
    while (pairs != NULL) {
        Timer *pair = pairs;
        pairs = pair->next;
        whole = timers_merge(pair, whole);
    }
    return whole;
}

static void heap_add(TimerHeap *heap, Timer *timer)
{
    if (timer == NULL)
        return;
    timer_put(&heap->first, timers_merge(timer, heap->first));
    heap->first->next = NULL;
}

void timer_heap_remove(TimerHeap *heap, Timer *timer)
{
    if (!timer_is_set(timer))
        return;
    timer_put(timer->link, timer->next);
    timer->link = NULL;
    heap_add(heap, timers_join(timer->child));
    timer->child = NULL;
}

void timer_heap_set(TimerHeap *heap, Timer *timer, uint64_t due_ns)
{
    timer_heap_remove(heap, timer);
    timer->due_ns = due_ns;
    timer->order = ++heap->order;
    heap_add(heap, timer);
}
