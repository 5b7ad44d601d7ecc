// poller.c: see poller.h.
//
// The program may close all descriptors, the poller's own among them, and open files under their numbers. An epoll
// descriptor can't be told from another file by an inode of its own (descriptor.h). So it gets the highest number that is to
// be had: the kernel gives out the lowest, and nobody else is likely to get it. When it is gone, the kernel says so, and
// there is a new one. A thread that sleeps in an epoll instance is not woken when that is closed: it sleeps for at most five
// seconds.

#define _GNU_SOURCE
#include "runtime/platform/poller.h"

#include "runtime/platform/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    EVENTS_AT_ONCE = 64,
    IDLE_MS = 5000,
    NUMBERS_TRIED = 64, // from the highest one down
};
#define DOORBELL UINT64_MAX // in the place of a number

void poller_init(Poller *poller, const Platform *platform, chx_runtime *runtime)
{
    *poller =
        (Poller){.platform = platform, .runtime = runtime, .epoll = -1, .doorbell = {NO_DESCRIPTOR, NO_DESCRIPTOR}};
    pthread_mutex_init(&poller->lock, NULL);
}

void poller_fini(Poller *poller)
{
    // A number that is not ours any more belongs to the program.
    struct epoll_event event = {0};
    bool is_ours =
        poller->epoll >= 0 && epoll_ctl(poller->epoll, EPOLL_CTL_MOD, poller->doorbell[0].number, &event) == 0;
    if (is_ours)
        close(poller->epoll);
    descriptor_close(&poller->doorbell[0]);
    descriptor_close(&poller->doorbell[1]);
    runtime_release(poller->runtime, poller->waiters);
    pthread_mutex_destroy(&poller->lock);
}

// ---- the epoll instance ----

// The same file under a number that nobody else is likely to get. -1: there is none.
static int number_raise(int number)
{
    struct rlimit limit;
    int raised = -1;
    if (number < 0)
        return -1;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 2 * NUMBERS_TRIED) {
        int highest = limit.rlim_cur < INT32_MAX ? (int)limit.rlim_cur : INT32_MAX;
        raised = fcntl(number, F_DUPFD_CLOEXEC, highest - NUMBERS_TRIED);
    }
    if (raised < 0)
        return number;
    close(number);
    return raised;
}

// Asks for one event of what the waiters of this descriptor wait for. False: errno says why not.
static bool number_arm(Poller *poller, int number)
{
    struct epoll_event event = {.events = EPOLLONESHOT, .data.u64 = (uint64_t)number};
    for (const PollWaiter *waiter = poller->waiters[number]; waiter != NULL; waiter = waiter->next)
        event.events |= waiter->events;
    return epoll_ctl(poller->epoll, EPOLL_CTL_MOD, number, &event) == 0 ||
           (errno == ENOENT && epoll_ctl(poller->epoll, EPOLL_CTL_ADD, number, &event) == 0);
}

// False: errno says why there is none.
static bool poller_open(Poller *poller)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = DOORBELL};
    poller->epoll = number_raise(epoll_create1(EPOLL_CLOEXEC));
    if (poller->epoll < 0)
        return false;
    if (descriptor_open_pipe(poller->doorbell) &&
        epoll_ctl(poller->epoll, EPOLL_CTL_ADD, poller->doorbell[0].number, &event) == 0)
        return true;
    int error = errno;
    close(poller->epoll);
    poller->epoll = -1;
    errno = error;
    return false;
}

// It is gone, and so is what it knew.
static bool poller_reopen(Poller *poller)
{
    if (!poller_open(poller))
        return false;
    for (size_t i = 0; i < poller->capacity; i++)
        if (poller->waiters[i] != NULL)
            number_arm(poller, (int)i);
    return true;
}

static bool is_lost(int error)
{
    return error == EBADF || error == EINVAL;
}

// Is the descriptor open at all?
static bool number_is_open(int number)
{
    return fcntl(number, F_GETFD) >= 0;
}

// ---- waiters ----

static bool waiters_reserve(Poller *poller, size_t number)
{
    while (number >= poller->capacity) {
        size_t before = poller->capacity;
        PollWaiter **grown = runtime_grow(poller->runtime, poller->waiters, &poller->capacity, sizeof *grown);
        if (grown == NULL) {
            errno = ENOMEM;
            return false;
        }
        memset(grown + before, 0, (poller->capacity - before) * sizeof *grown);
        poller->waiters = grown;
    }
    return true;
}

static void waiter_unlink(Poller *poller, PollWaiter *waiter)
{
    PollWaiter **link = &poller->waiters[waiter->number];
    while (*link != waiter)
        link = &(*link)->next;
    *link = waiter->next;
    waiter->is_listed = false;
    atomic_fetch_sub(&poller->count, 1);
}

PollStatus poller_add(Poller *poller, PollWaiter *waiter, int number, short events)
{
    if (number < 0) {
        errno = EBADF;
        return POLL_REFUSED;
    }
    pthread_mutex_lock(&poller->lock);
    PollStatus status = POLL_REFUSED;
    if ((poller->epoll >= 0 || poller_open(poller)) && waiters_reserve(poller, (size_t)number)) {
        uint32_t wanted = (uint32_t)(unsigned short)events & (POLLIN | POLLPRI | POLLOUT | POLLRDHUP);
        *waiter = (PollWaiter){poller->waiters[number], number, wanted, true};
        poller->waiters[number] = waiter;
        atomic_fetch_add(&poller->count, 1);
        bool is_armed = number_arm(poller, number);
        if (!is_armed && is_lost(errno) && number_is_open(number) && poller_reopen(poller))
            is_armed = number_arm(poller, number);
        status = is_armed ? POLL_WAITS : errno == EPERM ? POLL_READY : POLL_REFUSED;
        if (!is_armed) {
            int error = errno;
            waiter_unlink(poller, waiter);
            errno = error;
        }
    }
    int error = errno;
    pthread_mutex_unlock(&poller->lock);
    errno = error;
    return status;
}

void poller_remove(Poller *poller, PollWaiter *waiter)
{
    pthread_mutex_lock(&poller->lock);
    // The kernel's event, if there is one more, finds nobody.
    if (waiter->is_listed)
        waiter_unlink(poller, waiter);
    pthread_mutex_unlock(&poller->lock);
}

// ---- waiting ----

// The lock is held.
static void number_ready(Poller *poller, size_t number, uint32_t events, PollReady *ready, void *context)
{
    PollWaiter **link = number < poller->capacity ? &poller->waiters[number] : NULL;
    while (link != NULL && *link != NULL) {
        PollWaiter *waiter = *link;
        if ((events & (waiter->events | EPOLLERR | EPOLLHUP)) == 0) {
            link = &waiter->next;
            continue;
        }
        *link = waiter->next;
        waiter->is_listed = false;
        atomic_fetch_sub(&poller->count, 1);
        ready(waiter, context);
    }
    if (number < poller->capacity && poller->waiters[number] != NULL)
        number_arm(poller, (int)number);
}

void poller_poll(Poller *poller, int timeout_ms, PollReady *ready, void *context)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    char rings[EVENTS_AT_ONCE];
    bool waits = timeout_ms != 0;
    if (waits && atomic_exchange(&poller->is_attended, true))
        return;
    int limit_ms = timeout_ms < 0 || timeout_ms > IDLE_MS ? IDLE_MS : timeout_ms;
    pthread_mutex_lock(&poller->lock);
    int epoll = poller->epoll;
    pthread_mutex_unlock(&poller->lock);
    int count = epoll >= 0 ? poller->platform->wait_events(epoll, events, EVENTS_AT_ONCE, limit_ms) : 0;
    int error = errno;
    pthread_mutex_lock(&poller->lock);
    if (count < 0 && is_lost(error) && poller->epoll == epoll)
        poller_reopen(poller);
    for (int i = 0; i < count; i++) {
        if (events[i].data.u64 == DOORBELL)
            descriptor_read(&poller->doorbell[0], rings, sizeof rings);
        else
            number_ready(poller, (size_t)events[i].data.u64, events[i].events, ready, context);
    }
    pthread_mutex_unlock(&poller->lock);
    if (waits)
        atomic_store(&poller->is_attended, false);
}

void poller_wake(Poller *poller)
{
    static const char ring;
    pthread_mutex_lock(&poller->lock);
    int doorbell = descriptor_use(&poller->doorbell[1]);
    // A pipe that is full: the thread is about to wake.
    while (doorbell >= 0 && write(doorbell, &ring, 1) < 0 && errno == EINTR)
        ;
    pthread_mutex_unlock(&poller->lock);
}
