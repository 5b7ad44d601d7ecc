// watcher.c: see watcher.h.
//
// A watcher is in the poller, or in the hand of a worker that has taken it from there, calls its function and watches it again.
// Whoever has it when it is closed gives it back: the thread that closes it, or that worker. One that closes it while another
// thread is inside of its function waits for that, and gives it back.

#include "runtime/sched/watcher.h"

#include "runtime/session/runtime.h"

#include <errno.h>

struct chx_watcher {
    PollWaiter waiter;       // the first member
    chx_watcher *next_ready; // on a worker's list
    chx_runtime *runtime;
    int number;
    short events;
    void (*run)(void *context, int error);
    void *context;
    _Atomic bool is_in_hand; // of a worker
    pthread_mutex_t lock;    // of what follows. It is taken before the poller's
    bool is_closed;
    const Current *runner;  // the thread that is in its function; NULL: none
    bool is_awaited;        // by the thread that closes it,
    _Atomic uint32_t ended; // until this is 1
};

static void watcher_release(chx_watcher *watcher)
{
    pthread_mutex_destroy(&watcher->lock);
    runtime_release(watcher->runtime, watcher);
}

// It joins the list that the context is.
static void watcher_ready(PollWaiter *waiter, void *context)
{
    chx_watcher *watcher = (chx_watcher *)(void *)waiter;
    WatcherList *list = context;
    atomic_store(&watcher->is_in_hand, true);
    watcher->next_ready = list->first;
    list->first = watcher;
}

// Watches it again. Its lock is held. 0; EAGAIN: it is ready; else why it can't be.
static int watcher_arm(chx_watcher *watcher)
{
    atomic_store(&watcher->is_in_hand, false);
    watcher->waiter.doubts = false; // the library does not close it while it is watched
    PollStatus status = poller_add(&watcher->runtime->poller, &watcher->waiter, watcher->number, watcher->events);
    int error = status == POLL_REFUSED ? errno : EAGAIN;
    if (status == POLL_WAITS)
        return 0;
    atomic_store(&watcher->is_in_hand, true);
    return error;
}

// A closed one, in this thread's hand, whose lock is held.
static void watcher_give_up(chx_watcher *watcher)
{
    const Platform *platform = watcher->runtime->platform;
    bool is_awaited = watcher->is_awaited;
    pthread_mutex_unlock(&watcher->lock);
    if (!is_awaited) {
        watcher_release(watcher);
        return;
    }
    // To wake somebody only the address is needed.
    atomic_store(&watcher->ended, 1);
    platform->wake(&watcher->ended);
}

// Calls its function until there is nothing to handle, and lets it be watched again.
static void watcher_run(chx_watcher *watcher)
{
    int error = EAGAIN;
    pthread_mutex_lock(&watcher->lock);
    while (error != 0 && !watcher->is_closed) {
        watcher->runner = current();
        pthread_mutex_unlock(&watcher->lock);
        watcher->run(watcher->context, error == EAGAIN ? 0 : error);
        pthread_mutex_lock(&watcher->lock);
        watcher->runner = NULL;
        if (watcher->is_closed)
            break;
        // One that can't be watched stays in nobody's hand until it is closed.
        bool is_lost = error != EAGAIN;
        error = is_lost ? 0 : watcher_arm(watcher);
        if (is_lost)
            atomic_store(&watcher->is_in_hand, false);
    }
    if (watcher->is_closed)
        watcher_give_up(watcher);
    else
        pthread_mutex_unlock(&watcher->lock);
}

void watchers_run(WatcherList *list)
{
    for (chx_watcher *watcher = list->first, *next; watcher != NULL; watcher = next) {
        next = watcher->next_ready;
        watcher_run(watcher);
    }
}

chx_watcher *chx_watcher_open(chx_runtime *runtime, int descriptor, short events, void (*run)(void *context, int error),
                              void *context)
{
    chx_watcher *watcher = runtime_allocate(runtime, sizeof *watcher);
    if (watcher == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    *watcher = (chx_watcher){.waiter = {.ready = watcher_ready, .doubts = true},
                             .runtime = runtime,
                             .number = descriptor,
                             .events = events,
                             .run = run,
                             .context = context};
    pthread_mutex_init(&watcher->lock, NULL);
    PollStatus status = poller_add(&runtime->poller, &watcher->waiter, descriptor, events);
    int error = status == POLL_WAITS   ? 0
                : status == POLL_READY ? EPERM
                                       : errno; // as epoll_ctl says of an ordinary file
    if (error == 0 && scheduler_attend(&runtime->scheduler))
        return watcher;
    if (error == 0) {
        chx_watcher_close(watcher);
        errno = EAGAIN;
        return NULL;
    }
    watcher_release(watcher);
    errno = error;
    return NULL;
}

void chx_watcher_close(chx_watcher *watcher)
{
    pthread_mutex_lock(&watcher->lock);
    watcher->is_closed = true;
    // Afterwards it is in a worker's hand, or comes into nobody's.
    poller_remove(&watcher->runtime->poller, &watcher->waiter);
    bool is_in_hand = atomic_load(&watcher->is_in_hand);
    watcher->is_awaited = watcher->runner != NULL && watcher->runner != current();
    bool is_awaited = watcher->is_awaited;
    pthread_mutex_unlock(&watcher->lock);
    while (is_awaited && atomic_load(&watcher->ended) == 0)
        watcher->runtime->platform->sleep_on(&watcher->ended, 0, 0);
    if (is_awaited || !is_in_hand)
        watcher_release(watcher);
}
