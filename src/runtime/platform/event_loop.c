// event_loop.c: see event_loop.h.
//
// The loop waits with poll(2) for the few descriptors that it has, and has no descriptor of its own that can't be told
// apart from others. The program that it is a part of may close all descriptors, and open files of its own that get the
// same numbers. An epoll descriptor or an eventfd that is closed that way is gone without a sign: it has no inode of its
// own to be known by, and a thread that sleeps in epoll_wait is not woken by its end. A pipe is known by its device and
// inode, and a thread that sleeps on one end wakes when the other is closed. So the loop is woken through a pipe, looks
// after each sleep whether all descriptors are still its own, and sleeps at most five seconds before it looks again.
// There are three descriptors, however many sessions there are (processes share one pipe, into which they write their
// numbers), so that epoll would save nothing.
//
// A loop without descriptors sleeps on a word in memory, which nobody can close.
//
// Nobody wakes a thread that does not sleep, or that wakes in time anyhow: the loop says in `sleeps_until_ns`, under
// the lock, until when it is going to sleep, and whoever sets an earlier timer, or has another reason, wakes it.

#define _GNU_SOURCE
#include "runtime/platform/event_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

enum {
    RUN_AT_ONCE = 64, // timers; then it looks at its descriptors
    RINGS_AT_ONCE = 512,
};
#define IDLE_NS UINT64_C(5000000000) // then it looks whether it still has the descriptors that it waits for

void event_loop_init(EventLoop *loop, const Platform *platform, const LoopInputs *inputs, void *context)
{
    *loop = (EventLoop){.platform = platform,
                        .inputs = inputs,
                        .context = context,
                        .doorbell = {NO_DESCRIPTOR, NO_DESCRIPTOR},
                        .door = {NO_DESCRIPTOR, NO_DESCRIPTOR}};
    pthread_mutex_init(&loop->lock, NULL);
}

void event_loop_fini(EventLoop *loop)
{
    event_loop_close(loop);
    pthread_mutex_destroy(&loop->lock);
}

// ---- waking ----

bool event_loop_open(EventLoop *loop)
{
    pthread_mutex_lock(&loop->lock);
    bool is_open = descriptor_open_pipe(loop->doorbell) && descriptor_open_pipe(loop->door);
    int error = errno;
    int size = is_open ? fcntl(loop->door[0].number, F_GETPIPE_SZ) : 0;
    loop->door_bytes = size > 0 ? (size_t)size : PIPE_BUF;
    pthread_mutex_unlock(&loop->lock);
    errno = error;
    return is_open;
}

void event_loop_close(EventLoop *loop)
{
    pthread_mutex_lock(&loop->lock);
    for (int i = 0; i < 2; i++) {
        descriptor_close(&loop->doorbell[i]);
        descriptor_close(&loop->door[i]);
    }
    pthread_mutex_unlock(&loop->lock);
}

bool event_loop_is_whole(EventLoop *loop)
{
    pthread_mutex_lock(&loop->lock);
    bool is_whole = descriptor_owns_pipe(loop->doorbell) && descriptor_owns_pipe(loop->door);
    pthread_mutex_unlock(&loop->lock);
    return is_whole;
}

int event_loop_door(EventLoop *loop)
{
    pthread_mutex_lock(&loop->lock);
    int door = descriptor_use(&loop->door[1]);
    pthread_mutex_unlock(&loop->lock);
    return door;
}

void event_loop_wake(EventLoop *loop)
{
    static const char ring;
    atomic_fetch_add(&loop->wakes, 1);
    if (loop->inputs == NULL) {
        loop->platform->wake(&loop->wakes);
        return;
    }
    pthread_mutex_lock(&loop->lock);
    int doorbell = descriptor_use(&loop->doorbell[1]);
    // It is full: then the loop is about to wake. It is not ours: the loop has seen the end of the pipe.
    while (doorbell >= 0 && write(doorbell, &ring, 1) < 0 && errno == EINTR)
        ;
    pthread_mutex_unlock(&loop->lock);
}

// ---- timers ----

void event_loop_attach(EventLoop *loop, LoopTimer *timer, const LoopTimerKind *kind)
{
    pthread_mutex_lock(&loop->lock);
    *timer = (LoopTimer){.kind = kind};
    pthread_mutex_unlock(&loop->lock);
}

// The lock is held. True: the loop is to be woken for that.
static bool loop_set(EventLoop *loop, LoopTimer *timer, uint64_t due_ns)
{
    timer_heap_set(&loop->timers, &timer->timer, due_ns);
    bool must_wake = due_ns < loop->sleeps_until_ns;
    if (must_wake)
        loop->sleeps_until_ns = 0;
    return must_wake;
}

void event_loop_set(EventLoop *loop, LoopTimer *timer, uint64_t due_ns)
{
    pthread_mutex_lock(&loop->lock);
    bool must_wake = timer->kind != NULL && loop_set(loop, timer, due_ns);
    pthread_mutex_unlock(&loop->lock);
    if (must_wake)
        event_loop_wake(loop);
}

static bool loop_start(EventLoop *loop);

bool event_loop_add(EventLoop *loop, LoopTimer *timer, const LoopTimerKind *kind, uint64_t due_ns)
{
    *timer = (LoopTimer){.kind = kind};
    pthread_mutex_lock(&loop->lock);
    bool is_added = loop_start(loop);
    bool must_wake = is_added && loop_set(loop, timer, due_ns);
    pthread_mutex_unlock(&loop->lock);
    if (must_wake)
        event_loop_wake(loop);
    return is_added;
}

bool event_loop_detach(EventLoop *loop, LoopTimer *timer)
{
    pthread_mutex_lock(&loop->lock);
    timer_heap_remove(&loop->timers, &timer->timer);
    timer->kind = NULL;
    bool is_free = !timer->is_claimed;
    pthread_mutex_unlock(&loop->lock);
    return is_free;
}

bool event_loop_run(EventLoop *loop, uint64_t now_ns)
{
    pthread_mutex_lock(&loop->lock);
    LoopTimer *timer = (LoopTimer *)loop->timers.first; // its first member
    if (timer == NULL || timer->timer.due_ns > now_ns) {
        pthread_mutex_unlock(&loop->lock);
        return false;
    }
    const LoopTimerKind *kind = timer->kind;
    timer_heap_remove(&loop->timers, &timer->timer);
    timer->is_claimed = kind->claim != NULL && kind->claim(timer);
    bool is_run = timer->is_claimed || kind->claim == NULL;
    pthread_mutex_unlock(&loop->lock);
    if (is_run)
        kind->run(timer, now_ns);
    return true;
}

// ---- the thread ----

enum { POLLED_INPUT, POLLED_DOORBELL, POLLED_DOOR, POLLED_COUNT };

// Rounded up: what is not due yet when it wakes would have to be waited for once more.
static int milliseconds(uint64_t ns)
{
    return (int)(ns / 1000000 + (ns % 1000000 != 0));
}

static void loop_sleep(EventLoop *loop, struct pollfd *polled, bool is_busy)
{
    uint64_t now_ns = loop->platform->now_ns(), limit_ns = loop->inputs != NULL ? now_ns + IDLE_NS : UINT64_MAX;
    uint32_t wakes = atomic_load(&loop->wakes);
    pthread_mutex_lock(&loop->lock);
    const Timer *first = loop->timers.first;
    uint64_t until_ns = first != NULL && first->due_ns < limit_ns ? first->due_ns : limit_ns;
    uint64_t left_ns = is_busy || until_ns <= now_ns ? 0 : until_ns - now_ns;
    loop->sleeps_until_ns = left_ns != 0 ? until_ns : 0;
    polled[POLLED_DOORBELL] = (struct pollfd){.fd = loop->doorbell[0].number, .events = POLLIN};
    polled[POLLED_DOOR] = (struct pollfd){.fd = loop->door[0].number, .events = POLLIN};
    pthread_mutex_unlock(&loop->lock);
    if (loop->inputs != NULL)
        loop->platform->poll(polled, POLLED_COUNT, milliseconds(left_ns));
    else if (left_ns != 0 && !atomic_load(&loop->closing))
        loop->platform->sleep_on(&loop->wakes, wakes, until_ns == UINT64_MAX ? 0 : left_ns);
    pthread_mutex_lock(&loop->lock);
    loop->sleeps_until_ns = 0;
    pthread_mutex_unlock(&loop->lock);
}

// Looks at what is waited for besides timers, and sleeps until there is something.
static void loop_attend(EventLoop *loop)
{
    const LoopInputs *inputs = loop->inputs;
    struct pollfd polled[POLLED_COUNT];
    char rings[RINGS_AT_ONCE];
    if (inputs == NULL) {
        loop_sleep(loop, polled, false);
        return;
    }
    bool is_busy = inputs->is_busy(loop->context);
    polled[POLLED_INPUT] = (struct pollfd){.fd = inputs->number(loop->context), .events = POLLIN};
    loop_sleep(loop, polled, is_busy);
    // The program may have closed them while they were waited for, and others may have their numbers.
    if (!inputs->is_whole(loop->context)) {
        inputs->lost(loop->context);
        return;
    }
    if (polled[POLLED_INPUT].revents != 0)
        inputs->ready(loop->context);
    if (polled[POLLED_DOOR].revents != 0)
        inputs->rung(loop->context);
    if (polled[POLLED_DOORBELL].revents != 0)
        descriptor_read(&loop->doorbell[0], rings, sizeof rings);
}

static void *loop_main(void *argument)
{
    EventLoop *loop = argument;
    while (!atomic_load(&loop->closing)) {
        loop_attend(loop);
        uint64_t now_ns = loop->platform->now_ns();
        for (int i = 0; i < RUN_AT_ONCE && !atomic_load(&loop->closing); i++)
            if (!event_loop_run(loop, now_ns))
                break;
    }
    return NULL;
}

// The lock is held.
static bool loop_start(EventLoop *loop)
{
    if (!loop->has_thread)
        loop->has_thread = loop->platform->thread_start(&loop->thread, loop_main, loop);
    return loop->has_thread;
}

bool event_loop_start(EventLoop *loop)
{
    pthread_mutex_lock(&loop->lock);
    bool is_started = loop_start(loop);
    pthread_mutex_unlock(&loop->lock);
    return is_started;
}

void event_loop_stop(EventLoop *loop)
{
    atomic_store(&loop->closing, true);
    if (loop->has_thread) {
        event_loop_wake(loop);
        loop->platform->thread_join(loop->thread);
    }
    loop->has_thread = false;
}
