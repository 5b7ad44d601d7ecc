// simulated_delay.c: messages that arrive some time after they were sent.
//
// A channel with delays is a memory channel whose consumer does not see a message before it has arrived. The producer does
// not tell the consumer of what it sends: a timer of the runtime's event loop does, when the message arrives.
//
// Only one simulated thread runs at a time: there is no lock.

#include "runtime/platform/machine.h"

#include "runtime/channel/channel.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

#include <stdlib.h>

// A message on its way.
typedef struct Arrival Arrival;
struct Arrival {
    LoopTimer timer; // the first member
    Arrival *next;
    Channel *channel;
};

// A channel's messages.
typedef struct {
    uint64_t arrived; // so many, from the first on
    uint64_t last_ns; // when the latest arrives
    Arrival *first, **end;
} Arrivals;

static Arrivals *arrivals_of(const Channel *channel)
{
    return channel->transport;
}

static Arrival *arrivals_take(Arrivals *arrivals)
{
    Arrival *arrival = arrivals->first;
    arrivals->first = arrival->next;
    if (arrivals->first == NULL)
        arrivals->end = &arrivals->first;
    return arrival;
}

// If the session is over, its end takes the message back.
static bool arrival_claim(LoopTimer *timer)
{
    return session_join(((const Arrival *)timer)->channel->consumer->session);
}

// The channel's next message arrives. Its consumer may wait for it.
static void arrival_run(LoopTimer *timer, uint64_t now_ns)
{
    (void)now_ns;
    Channel *channel = ((Arrival *)timer)->channel;
    Session *session = channel->consumer->session;
    Scheduler *scheduler = &session->runtime->scheduler;
    arrivals_of(channel)->arrived++;
    free(arrivals_take(arrivals_of(channel)));
    if (atomic_load(&channel->consumer->waits) != 0) {
        scheduler_quiesce(scheduler);
        session_unpin(session);
        if (actor_wake(channel->consumer, channel))
            scheduler_ready(scheduler, channel->consumer);
        scheduler_resume(scheduler);
    }
    session_leave(session);
}

static const LoopTimerKind arrival_kind = {arrival_claim, arrival_run};

// ---- the channel ----

static ChannelStatus delayed_send(Channel *channel, uint32_t site, void *value, size_t size)
{
    const SimulationOptions *options = machine_options();
    Arrivals *arrivals = arrivals_of(channel);
    ChannelStatus status = memory_channel_ops.send(channel, site, value, size);
    if (status != CHANNEL_DONE)
        return status;
    uint64_t delay_ns = machine_draw(DRAW_DELAY, options->delay_max_ns - options->delay_min_ns + 1);
    uint64_t time_ns = machine_now_ns() + options->delay_min_ns + delay_ns;
    // A channel keeps the order.
    arrivals->last_ns = time_ns > arrivals->last_ns ? time_ns : arrivals->last_ns + 1;
    Arrival *arrival = machine_allocate(sizeof *arrival);
    arrival->channel = channel;
    *arrivals->end = arrival;
    arrivals->end = &arrival->next;
    EventLoop *loop = &channel->consumer->session->runtime->loop;
    if (!event_loop_add(loop, &arrival->timer, &arrival_kind, arrivals->last_ns))
        machine_no_memory();
    return status;
}

static bool delayed_notify_sent(Channel *channel, Channel **credit_pending)
{
    (void)channel;
    (void)credit_pending;
    return true; // the consumer is told when the message arrives
}

static const Record *delayed_peek(Channel *channel)
{
    bool has_arrived = atomic_load(&channel->head.taken) < arrivals_of(channel)->arrived;
    return has_arrived ? memory_channel_ops.peek(channel) : NULL;
}

static void delayed_close(Channel *channel)
{
    Arrivals *arrivals = arrivals_of(channel);
    EventLoop *loop = &channel->consumer->session->runtime->loop;
    while (arrivals->first != NULL) {
        Arrival *arrival = arrivals_take(arrivals);
        event_loop_detach(loop, &arrival->timer);
        free(arrival);
    }
    free(arrivals);
    memory_channel_ops.close(channel);
}

static ChannelOps delayed_ops; // those of a memory channel, but for these

static void delayed_ops_make(void)
{
    delayed_ops = memory_channel_ops;
    delayed_ops.send = delayed_send;
    delayed_ops.notify_sent = delayed_notify_sent;
    delayed_ops.peek = delayed_peek;
    delayed_ops.close = delayed_close;
}

void delay_channel(Channel *channel)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    Arrivals *arrivals = machine_allocate(sizeof *arrivals);
    pthread_once(&once, delayed_ops_make);
    arrivals->end = &arrivals->first;
    channel->transport = arrivals;
    channel->ops = &delayed_ops;
}
