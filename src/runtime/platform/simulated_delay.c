// simulated_delay.c: messages that arrive some time after they were sent.
//
// A channel with delays is a memory channel whose consumer does not see a message before it has arrived. The producer does
// not tell the consumer of what it sends: a thread of the machine's does, when the message arrives.

#include "runtime/platform/machine.h"

#include "runtime/channel/channel.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

#include <stdlib.h>
#include <string.h>

enum { ARRIVALS_FIRST = 16 };

// When the messages of a channel arrive, by their number, from `first` on.
typedef struct Arrivals Arrivals;
struct Arrivals {
    Arrivals *next; // of those with messages
    Channel *channel;
    bool is_listed;
    uint64_t first;
    size_t count, capacity;
    uint64_t *times_ns;
};

static struct {
    pthread_mutex_t lock; // of what follows, and of all arrivals
    Arrivals *list;
} delays = {.lock = PTHREAD_MUTEX_INITIALIZER};

static Arrivals *arrivals_of(const Channel *channel)
{
    return channel->transport;
}

// Forgets those that were taken out. The lock is held.
static void arrivals_catch_up(Arrivals *arrivals)
{
    uint64_t taken = atomic_load_explicit(&arrivals->channel->head.taken, memory_order_relaxed);
    size_t gone = (size_t)(taken - arrivals->first);
    arrivals->first = taken;
    arrivals->count -= gone;
    if (gone != 0)
        memmove(arrivals->times_ns, arrivals->times_ns + gone, arrivals->count * sizeof(uint64_t));
}

// The lock is held.
static void arrivals_add(Arrivals *arrivals, uint64_t time_ns)
{
    arrivals_catch_up(arrivals);
    if (arrivals->count == arrivals->capacity) {
        arrivals->capacity = arrivals->capacity == 0 ? ARRIVALS_FIRST : 2 * arrivals->capacity;
        arrivals->times_ns = realloc(arrivals->times_ns, arrivals->capacity * sizeof(uint64_t));
        if (arrivals->times_ns == NULL)
            machine_no_memory();
    }
    // A channel keeps the order.
    if (arrivals->count != 0 && time_ns < arrivals->times_ns[arrivals->count - 1])
        time_ns = arrivals->times_ns[arrivals->count - 1];
    arrivals->times_ns[arrivals->count++] = time_ns;
    if (!arrivals->is_listed) {
        arrivals->is_listed = true;
        arrivals->next = delays.list;
        delays.list = arrivals;
    }
}

// Takes those without messages off the list. The lock is held.
static void delays_prune(void)
{
    for (Arrivals **link = &delays.list; *link != NULL;) {
        Arrivals *arrivals = *link;
        arrivals_catch_up(arrivals);
        arrivals->is_listed = arrivals->count != 0;
        if (arrivals->is_listed)
            link = &arrivals->next;
        else
            *link = arrivals->next;
    }
}

// ---- the machine's thread ----

// When the channel's next message arrives; UINT64_MAX: its consumer does not wait for one. The lock is held.
static uint64_t arrivals_due_ns(const Arrivals *arrivals)
{
    const Channel *channel = arrivals->channel;
    bool is_awaited = atomic_load(&channel->consumer->waits) == (uintptr_t)channel;
    return is_awaited && arrivals->count != 0 ? arrivals->times_ns[0] : UINT64_MAX;
}

// The one whose consumer waits for the message that arrives first. The lock is held.
static Arrivals *delays_next(void)
{
    Arrivals *next = NULL;
    delays_prune();
    for (Arrivals *arrivals = delays.list; arrivals != NULL; arrivals = arrivals->next)
        if (arrivals_due_ns(arrivals) < (next != NULL ? arrivals_due_ns(next) : UINT64_MAX))
            next = arrivals;
    return next;
}

static uint64_t delays_due_ns(void)
{
    pthread_mutex_lock(&delays.lock);
    const Arrivals *next = delays_next();
    uint64_t due_ns = next != NULL ? arrivals_due_ns(next) : UINT64_MAX;
    pthread_mutex_unlock(&delays.lock);
    return due_ns;
}

// Tells the consumer of a message, which waits for it, from a thread that is no worker.
static void arrivals_notify(Channel *channel)
{
    Session *session = channel->consumer->session;
    Scheduler *scheduler = &session->runtime->scheduler;
    scheduler_quiesce(scheduler);
    session_unpin(session);
    if (actor_wake(channel->consumer, channel))
        scheduler_ready(scheduler, channel->consumer);
    scheduler_resume(scheduler);
}

static void *delays_main(void *argument)
{
    (void)argument;
    for (;;) {
        threads_sleep_until_due();
        pthread_mutex_lock(&delays.lock);
        Arrivals *next = delays_next();
        Channel *channel = next != NULL && arrivals_due_ns(next) <= machine_now_ns() ? next->channel : NULL;
        pthread_mutex_unlock(&delays.lock);
        if (channel != NULL)
            arrivals_notify(channel);
    }
    return NULL;
}

// ---- the channel ----

static ChannelStatus delayed_send(Channel *channel, uint32_t site, void *value, size_t size)
{
    const SimulationOptions *options = machine_options();
    ChannelStatus status = memory_channel_ops.send(channel, site, value, size);
    if (status != CHANNEL_DONE)
        return status;
    uint64_t delay_ns = machine_draw(DRAW_DELAY, options->delay_max_ns - options->delay_min_ns + 1);
    pthread_mutex_lock(&delays.lock);
    arrivals_add(arrivals_of(channel), machine_now_ns() + options->delay_min_ns + delay_ns);
    pthread_mutex_unlock(&delays.lock);
    return status;
}

static bool delayed_notify_sent(Channel *channel, Channel **credit_pending)
{
    (void)channel;
    (void)credit_pending;
    return true; // the machine's thread tells the consumer
}

static const Record *delayed_peek(Channel *channel)
{
    Arrivals *arrivals = arrivals_of(channel);
    pthread_mutex_lock(&delays.lock);
    arrivals_catch_up(arrivals);
    bool has_arrived = arrivals->count != 0 && arrivals->times_ns[0] <= machine_now_ns();
    pthread_mutex_unlock(&delays.lock);
    return has_arrived ? memory_channel_ops.peek(channel) : NULL;
}

static void delayed_close(Channel *channel)
{
    Arrivals *arrivals = arrivals_of(channel);
    memory_channel_ops.close(channel);
    pthread_mutex_lock(&delays.lock);
    delays_prune();
    pthread_mutex_unlock(&delays.lock);
    free(arrivals->times_ns);
    free(arrivals);
}

void delay_channel(Channel *channel)
{
    static const ChannelOps *delayed;
    static ChannelOps ops;
    Arrivals *arrivals = machine_allocate(sizeof *arrivals);
    arrivals->channel = channel;
    threads_start_own(delays_main, delays_due_ns);
    pthread_mutex_lock(&delays.lock);
    if (delayed == NULL) {
        ops = memory_channel_ops;
        ops.send = delayed_send;
        ops.notify_sent = delayed_notify_sent;
        ops.peek = delayed_peek;
        ops.close = delayed_close;
        delayed = &ops;
    }
    pthread_mutex_unlock(&delays.lock);
    channel->transport = arrivals;
    channel->ops = &ops;
}

void delay_forget(void)
{
    pthread_mutex_init(&delays.lock, NULL);
    delays.list = NULL;
}
