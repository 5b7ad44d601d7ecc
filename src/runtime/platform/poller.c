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
    // So long a wait trusts in what the kernel was asked for earlier: as long as others are served, and when nothing happens.
    TRUST_NS = 20000000,
    TRUST_IDLE_MS = 1,
    VAIN_LIMIT = 1000, // so many events in vain, and there is a new epoll instance
};
#define DOORBELL UINT64_MAX // in the place of a number

void poller_init(Poller *poller, const Platform *platform, chx_runtime *runtime)
{
    *poller =
        (Poller){.platform = platform, .runtime = runtime, .epoll = -1, .doorbell = {NO_DESCRIPTOR, NO_DESCRIPTOR}};
    pthread_mutex_init(&poller->lock, NULL);
}

// Is there an epoll instance, and does its number still refer to it? Then it knows the doorbell.
static bool poller_owns_epoll(const Poller *poller)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = DOORBELL};
    return poller->epoll >= 0 && epoll_ctl(poller->epoll, EPOLL_CTL_MOD, poller->doorbell[0].number, &event) == 0;
}

void poller_fini(Poller *poller)
{
    // A number that is not ours any more belongs to the program.
    if (poller_owns_epoll(poller))
        close(poller->epoll);
    descriptor_close(&poller->doorbell[0]);
    descriptor_close(&poller->doorbell[1]);
    runtime_release(poller->runtime, poller->numbers);
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

static uint32_t number_wanted(const Poller *poller, int number)
{
    uint32_t wanted = 0;
    for (const PollWaiter *waiter = poller->numbers[number].waiters; waiter != NULL; waiter = waiter->next)
        wanted |= waiter->events;
    return wanted;
}

// Asks for a report each time that one of these events comes up, and at once if it has. False: errno says why not.
static bool number_ask(Poller *poller, int number, uint32_t wanted)
{
    PollNumber *entry = &poller->numbers[number];
    struct epoll_event event = {.events = wanted | EPOLLET, .data.u64 = (uint64_t)number};
    bool is_new = entry->asked == 0;
    bool is_asked = epoll_ctl(poller->epoll, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, number, &event) == 0;
    if (!is_asked && errno == (is_new ? EEXIST : ENOENT))
        is_asked = epoll_ctl(poller->epoll, is_new ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, number, &event) == 0;
    entry->asked = is_asked ? wanted : 0;
    entry->missed = 0;
    return is_asked;
}

// False: errno says why there is none.
static bool poller_open(Poller *poller)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = DOORBELL};
    poller->epoll = number_raise(epoll_create1(EPOLL_CLOEXEC));
    if (poller->epoll < 0)
        return false;
    if (descriptor_open_pipe(poller->doorbell) &&
        epoll_ctl(poller->epoll, EPOLL_CTL_ADD, poller->doorbell[0].number, &event) == 0) {
        poller->opened++;
        return true;
    }
    int error = errno;
    close(poller->epoll);
    poller->epoll = -1;
    errno = error;
    return false;
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

static bool numbers_reserve(Poller *poller, int number)
{
    // A number that is not open may be any: there is no room to be made for it.
    if ((size_t)number >= poller->capacity && !number_is_open(number))
        return false;
    while ((size_t)number >= poller->capacity) {
        size_t before = poller->capacity;
        PollNumber *grown = runtime_grow(poller->runtime, poller->numbers, &poller->capacity, sizeof *grown);
        if (grown == NULL) {
            errno = ENOMEM;
            return false;
        }
        memset(grown + before, 0, (poller->capacity - before) * sizeof *grown);
        poller->numbers = grown;
    }
    return true;
}

static void trust_begin(Poller *poller, PollWaiter *waiter)
{
    waiter->trusts = true;
    waiter->since_ns = atomic_load_explicit(&poller->now_ns, memory_order_relaxed);
    waiter->earlier = poller->last_trusting;
    waiter->later = NULL;
    *(waiter->earlier != NULL ? &waiter->earlier->later : &poller->first_trusting) = waiter;
    poller->last_trusting = waiter;
}

static void trust_end(Poller *poller, PollWaiter *waiter)
{
    waiter->trusts = false;
    *(waiter->earlier != NULL ? &waiter->earlier->later : &poller->first_trusting) = waiter->later;
    *(waiter->later != NULL ? &waiter->later->earlier : &poller->last_trusting) = waiter->earlier;
}

// The old epoll instance is gone, and so is what it knew. If the kernel can't be asked for those who wait, they trust for a
// moment, and poller_verify finds out.
static bool poller_reopen(Poller *poller)
{
    if (!poller_open(poller))
        return false;
    for (size_t i = 0; i < poller->capacity; i++) {
        PollWaiter *waiter = poller->numbers[i].waiters;
        poller->numbers[i].asked = poller->numbers[i].missed = 0;
        if (waiter == NULL || number_ask(poller, (int)i, number_wanted(poller, (int)i)))
            continue;
        for (; waiter != NULL; waiter = waiter->next)
            if (!waiter->trusts)
                trust_begin(poller, waiter);
    }
    return true;
}

// The lock is held. Who sees too many looks for nothing; who begins to wait makes sure that the others see it (scheduler_attend).
static void poller_count(Poller *poller, uint32_t change)
{
    atomic_store_explicit(&poller->count, atomic_load_explicit(&poller->count, memory_order_relaxed) + change,
                          memory_order_release);
}

// The link is the one that points to the waiter.
static void waiter_unlink(Poller *poller, PollWaiter **link)
{
    PollWaiter *waiter = *link;
    *link = waiter->next;
    waiter->is_listed = false;
    if (waiter->trusts)
        trust_end(poller, waiter);
    poller_count(poller, (uint32_t)-1);
}

static PollWaiter **waiter_link(Poller *poller, const PollWaiter *waiter)
{
    PollWaiter **link = &poller->numbers[waiter->number].waiters;
    while (*link != waiter)
        link = &(*link)->next;
    return link;
}

// The waiter is in its list.
static PollStatus waiter_await(Poller *poller, PollWaiter *waiter)
{
    PollNumber *entry = &poller->numbers[waiter->number];
    uint32_t wanted = number_wanted(poller, waiter->number);
    if (entry->asked == wanted && !waiter->doubts && (entry->missed & (waiter->events | EPOLLERR | EPOLLHUP)) != 0) {
        entry->missed = 0;
        return POLL_READY;
    }
    // The thread that waits would not come back in time to ask.
    if (entry->asked == wanted && wanted != 0 && !poller->waits_long && !waiter->doubts) {
        trust_begin(poller, waiter);
        return POLL_WAITS;
    }
    bool is_asked = number_ask(poller, waiter->number, wanted);
    // If the instance is still there, the descriptor was closed, and the program has opened another one under its number since.
    if (!is_asked && is_lost(errno) && number_is_open(waiter->number) &&
        (poller_owns_epoll(poller) || poller_reopen(poller)))
        is_asked = number_ask(poller, waiter->number, wanted);
    return is_asked ? POLL_WAITS : errno == EPERM ? POLL_READY : POLL_REFUSED;
}

PollStatus poller_add(Poller *poller, PollWaiter *waiter, int number, short events)
{
    if (number < 0) {
        errno = EBADF;
        return POLL_REFUSED;
    }
    pthread_mutex_lock(&poller->lock);
    PollStatus status = POLL_REFUSED;
    if ((poller->epoll >= 0 || poller_reopen(poller)) && numbers_reserve(poller, number)) {
        waiter->next = poller->numbers[number].waiters;
        waiter->number = number;
        waiter->events = (uint32_t)(unsigned short)events & (POLLIN | POLLPRI | POLLOUT | POLLRDHUP);
        waiter->is_listed = true;
        waiter->trusts = false;
        poller->numbers[number].waiters = waiter;
        poller_count(poller, 1);
        status = waiter_await(poller, waiter);
        int error = errno;
        if (status != POLL_WAITS)
            waiter_unlink(poller, waiter_link(poller, waiter));
        errno = error;
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
        waiter_unlink(poller, waiter_link(poller, waiter));
    pthread_mutex_unlock(&poller->lock);
}

// ---- waiting ----

// Nobody waits for what was reported. A file that goes on with it is silenced. That does not help where an earlier file of the
// number, which a duplicate keeps alive, has reported it.
static void number_missed(Poller *poller, size_t number, uint32_t events)
{
    PollNumber *entry = &poller->numbers[number];
    struct epoll_event none = {.events = EPOLLET, .data.u64 = number};
    bool was_silenced = entry->asked == 0;
    if (entry->missed == 0 && !was_silenced) {
        entry->missed = events;
        return;
    }
    if (was_silenced || epoll_ctl(poller->epoll, EPOLL_CTL_MOD, (int)number, &none) != 0)
        poller->in_vain++;
    entry->asked = entry->missed = 0;
}

// The lock is held.
static void number_ready(Poller *poller, size_t number, uint32_t events, void *context)
{
    bool is_taken = false;
    if (number >= poller->capacity)
        return;
    for (PollWaiter **link = &poller->numbers[number].waiters; *link != NULL;) {
        PollWaiter *waiter = *link;
        if ((events & (waiter->events | EPOLLERR | EPOLLHUP)) == 0) {
            link = &waiter->next;
            continue;
        }
        is_taken = true;
        waiter_unlink(poller, link);
        waiter->ready(waiter, context);
    }
    if (!is_taken)
        number_missed(poller, number, events);
}

// Asks for those who have trusted for long enough.
static void poller_verify(Poller *poller, uint64_t trust_ns, void *context)
{
    PollWaiter *waiter;
    uint64_t now_ns = atomic_load_explicit(&poller->now_ns, memory_order_relaxed);
    while ((waiter = poller->first_trusting) != NULL && now_ns - waiter->since_ns >= trust_ns) {
        trust_end(poller, waiter);
        if (number_ask(poller, waiter->number, number_wanted(poller, waiter->number)))
            continue;
        // The descriptor is closed: its step shall find out.
        waiter_unlink(poller, waiter_link(poller, waiter));
        waiter->ready(waiter, context);
    }
}

// There is no epoll instance, and none to be had: the steps of those who wait shall find out.
static void poller_give_up(Poller *poller, void *context)
{
    for (size_t i = 0; i < poller->capacity; i++) {
        poller->numbers[i].asked = poller->numbers[i].missed = 0;
        for (PollWaiter *waiter; (waiter = poller->numbers[i].waiters) != NULL;) {
            waiter_unlink(poller, &poller->numbers[i].waiters);
            waiter->ready(waiter, context);
        }
    }
}

// Files that are not to be reached any more report too much: a new epoll instance does not know them. The caller is the only one
// who waits.
static void poller_forget(Poller *poller)
{
    int old = poller->epoll;
    poller->in_vain = 0;
    if (poller_reopen(poller))
        close(old);
    else
        poller->epoll = old;
}

// How long to wait. The lock is held.
static int poller_limit(Poller *poller, int timeout_ms)
{
    if (timeout_ms == 0)
        return 0;
    int limit_ms = timeout_ms < 0 || timeout_ms > IDLE_MS ? IDLE_MS : timeout_ms;
    if (poller->first_trusting != NULL)
        return TRUST_IDLE_MS;
    poller->waits_long = true;
    return limit_ms;
}

// Those who have waited for long are in no cache. They are fetched all at once: one after the other takes many times as long.
static void poller_fetch(const Poller *poller, const struct epoll_event *events, int count)
{
    const PollWaiter *waiters[EVENTS_AT_ONCE];
    for (int i = 0; i < count; i++) {
        waiters[i] = events[i].data.u64 < poller->capacity ? poller->numbers[events[i].data.u64].waiters : NULL;
        __builtin_prefetch(waiters[i]);
        __builtin_prefetch((const char *)waiters[i] + sizeof(PollWaiter));
    }
    for (int i = 0; i < count; i++)
        if (waiters[i] != NULL)
            __builtin_prefetch(waiters[i]->near);
}

static void poller_handle(Poller *poller, const struct epoll_event *events, int count, bool waits, void *context)
{
    char rings[EVENTS_AT_ONCE];
    poller_fetch(poller, events, count);
    for (int i = 0; i < count; i++) {
        // It rings for the thread that waits: one that only looks leaves that to it.
        if (events[i].data.u64 == DOORBELL && waits)
            descriptor_read(&poller->doorbell[0], rings, sizeof rings);
        else if (events[i].data.u64 != DOORBELL)
            number_ready(poller, (size_t)events[i].data.u64, events[i].events, context);
    }
}

bool poller_poll(Poller *poller, int timeout_ms, void *context)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    bool waits = timeout_ms != 0;
    if (waits && atomic_exchange(&poller->is_attended, true))
        return false;
    pthread_mutex_lock(&poller->lock);
    int epoll = poller->epoll, limit_ms = poller_limit(poller, timeout_ms);
    uint64_t opened = poller->opened;
    pthread_mutex_unlock(&poller->lock);
    int count = epoll >= 0 ? poller->platform->wait_events(epoll, events, EVENTS_AT_ONCE, limit_ms) : 0;
    int error = errno;
    pthread_mutex_lock(&poller->lock);
    if (waits)
        poller->waits_long = false;
    atomic_store_explicit(&poller->now_ns, poller->platform->now_ns(), memory_order_relaxed);
    // Another thread may have noticed first. The new instance is likely to have the number of the old one.
    bool is_gone = poller->epoll < 0 || (count < 0 && is_lost(error) && poller->opened == opened);
    if (is_gone && atomic_load(&poller->count) != 0 && !poller_reopen(poller))
        poller_give_up(poller, context);
    poller_handle(poller, events, count, waits, context);
    poller_verify(poller, waits && count <= 0 ? 0 : TRUST_NS, context);
    if (waits && poller->in_vain >= VAIN_LIMIT)
        poller_forget(poller);
    pthread_mutex_unlock(&poller->lock);
    if (waits)
        atomic_store(&poller->is_attended, false);
    return true;
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
