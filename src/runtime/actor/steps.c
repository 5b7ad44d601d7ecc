// steps.c: the steps of projected code that concern other roles: sending, receiving, and giving credit for what was
// received.
//
// Whatever lies between two roles is behind the table of their channel (channel.h); nothing here depends on it. The rules
// for epochs are here, too, the same for all channels: actor_peek.

#include "runtime/actor/actor.h"
#include "runtime/actor/elsewhere.h"
#include "runtime/actor/observe.h"
#include "runtime/arms/arms.h"
#include "runtime/recovery/broken.h"
#include "runtime/session/session.h"

#include <string.h>

enum { CHANNEL_WHY_BYTES = 128 };

// The actor can't go on: it waits for a message in the channel or, by the tag, for room there; without a channel it lets
// others have their turn. Always false.
static bool step_wants(Actor *actor, Channel *channel, uintptr_t tag)
{
    actor->self.wants = (uintptr_t)channel | tag;
    return false;
}

static void step_charge(Actor *actor, uint64_t count)
{
    actor->budget -= count < actor->budget ? (uint32_t)count : actor->budget;
}

// May the actor do one more step in this turn? Not if its budget is used up, or if it is to be rolled back.
static bool step_allowed(Actor *actor)
{
    if (actor->budget == 0 || chx_generation_changed(&actor->self))
        return step_wants(actor, NULL, 0);
    step_charge(actor, 1);
    return true;
}

static const Block never; // not done, now and always

bool steps_is_never(const void *what)
{
    return what == &never;
}

chx_step chx_wait_for_ever(chx_self *self)
{
    self->wants = (uintptr_t)&never | WANTS_BLOCK;
    return CHX_STEP_WAIT;
}

// The same before a message is sent. A role that is in arms goes on as long as there is room: it changes to another arm only where it
// has to wait, or where it receives.
static bool step_may_send(Actor *actor)
{
    if (CHX_UNLIKELY(actor->budget == 0 && actor->arms != NULL) && !chx_generation_changed(&actor->self) &&
        !is_broken(BROKEN_ARM_SEND_YIELDS))
        return true;
    return step_allowed(actor);
}

// An operation of the channel has failed: so does the step.
static CHX_NORETURN void step_raise(const Actor *actor, Channel *channel, ChannelStatus status, uint32_t site)
{
    char why[CHANNEL_WHY_BYTES];
    if (status == CHANNEL_NO_MEMORY)
        guard_no_memory();
    channel->ops->explain(channel, site, why, sizeof why);
    // In a process of its own the role has done that itself; a new process has it again.
    bool is_own_doing = status == CHANNEL_CLOSED && actor_is_process(actor);
    guard_raise(is_own_doing ? CHX_FAULT_FAIL : CHX_FAULT_SYSTEM, 0, site, "%s", why);
}

// ---- sending ----

// Drops what abandoned attempts have left in a channel to this actor.
static void step_make_room(Actor *actor, Channel *in)
{
    if (in->head.taking.epoch != 0)
        actor_peek(actor, in);
}

// The actor is about to wait for room. In `agree` roles send to each other before they receive, so two channels that are full of
// messages of abandoned attempts would let both ends wait for ever. Whoever waits last has dropped what is in the channels to it, and
// whoever waits for room in one of these goes on. (Channels to other hosts have nothing of abandoned attempts in them.)
static __attribute__((noinline)) void step_make_room_for_others(Actor *actor)
{
    Session *session = actor->session;
    if (actor->away != NULL)
        return;
    if (session->arm != NULL) {
        arms_each_inbound(actor, step_make_room);
        return;
    }
    for (size_t i = 0; i < actor->role->receives_from_count; i++)
        if (session_is_ready(session, (size_t)(actor->in[i] - session->channels)))
            step_make_room(actor, actor->in[i]);
}

bool chx_room_slow(chx_self *self, unsigned out)
{
    Actor *actor = (Actor *)self;
    Channel *channel = &actor->out[out];
    if (!step_may_send(actor))
        return false;
    uint64_t room = channel->ops->room(channel);
    if (room == 0) {
        if (channel->head.sending.epoch != 0)
            step_make_room_for_others(actor);
        return step_wants(actor, channel, WANTS_ROOM);
    }
    step_charge(actor, room - 1);
    return true;
}

// Only the inline code of projected code leaves something to be told, on channels in memory, and ends of channels to other hosts.
void chx_notify(chx_self *self)
{
    Actor *actor = (Actor *)self;
    Channel *channel = (Channel *)self->notify_pending;
    self->notify_pending = NULL;
    if (CHX_UNLIKELY(actor->away != NULL))
        actor->away->ops->flush(actor);
    else
        actor_notify(actor, channel->consumer, channel);
}

static CHX_COLD __attribute__((noinline)) ChannelStatus send_observed(Actor *actor, Channel *channel, uint32_t site,
                                                                      const void *value, size_t size)
{
    char text[DESCRIPTION_BYTES];
    observe_sending(actor, site, value, size, text);
    ChannelStatus status = channel->ops->send(channel, site, (void *)value, size);
    if (status == CHANNEL_DONE)
        observe_sent(actor, channel, site, text);
    return status;
}

void chx_send_slow(chx_self *self, unsigned out, uint32_t site, const void *value, size_t size)
{
    Actor *actor = (Actor *)self;
    Channel *channel = &actor->out[out];
    ChannelStatus status = CHX_UNLIKELY(actor->self.observed != 0)
                               ? send_observed(actor, channel, site, value, size)
                               : channel->ops->send(channel, site, (void *)value, size);
    if (status != CHANNEL_DONE)
        step_raise(actor, channel, status, site);
    if (!channel->ops->notify_sent(channel, &actor->credit_pending))
        actor_notify(actor, channel->consumer, channel);
}

bool chx_try_send_slow(chx_self *self, unsigned out, uint32_t site, const void *value, size_t size)
{
    if (!chx_room_slow(self, out))
        return false;
    if (self->observed != 0)
        chx_observe_pass(self, site);
    chx_send(self, out, site, value, size);
    return true;
}

// ---- receiving ----

static void step_flush_credit(Actor *actor, Channel *channel)
{
    if (!channel->ops->flush_credit(channel))
        actor_notify(actor, channel->producer, channel);
}

void actor_flush_credit(Actor *actor)
{
    Channel *channel = actor->credit_pending;
    if (channel == NULL)
        return;
    actor->credit_pending = NULL;
    step_flush_credit(actor, channel);
}

// Drops the messages of abandoned attempts at the front of the channel: nobody will ever read them, and their sender gets
// the room back. False: one that can't be there.
static __attribute__((noinline)) bool step_drop_old(Actor *actor, Channel *channel)
{
    const ChannelOps *ops = channel->ops;
    const Record *record;
    bool is_good;
    do
        is_good = ops->drop(channel);
    while (is_good && (record = ops->peek(channel)) != NULL && record->of.epoch < channel->head.taking.epoch);
    // At once: the actor may be about to wait and have flushed already what it owed.
    if (actor->credit_pending == channel)
        actor->credit_pending = NULL;
    step_flush_credit(actor, channel);
    return is_good;
}

const Record *actor_peek(Actor *actor, Channel *channel)
{
    for (;;) {
        const Record *record = channel->ops->peek(channel);
        if (record == NULL || record->of.epoch == channel->head.taking.epoch || is_broken(BROKEN_NO_EPOCH_CHECK))
            return record;
        // A newer epoch: the sender is ahead, and this role is about to be rolled back, or to enter the block.
        if (record->of.epoch > channel->head.taking.epoch || !step_drop_old(actor, channel))
            return NULL;
    }
}

// The next message; NULL: none that may be taken now, and self.wants says what the actor waits for.
static const Record *step_peek(Actor *actor, Channel *channel)
{
    const Record *record = actor_peek(actor, channel);
    if (record == NULL)
        step_wants(actor, channel, 0);
    return record;
}

// The value of the next message, still in the channel; NULL as for step_peek.
static const void *step_read(Actor *actor, Channel *channel, uint32_t site, size_t size)
{
    const void *value;
    const Record *record;
    ChannelStatus status;
    if (!step_allowed(actor))
        return NULL;
    do {
        record = step_peek(actor, channel);
        if (record == NULL)
            return NULL;
        status = channel->ops->read(channel, site, size, &value);
    } while (status == CHANNEL_AGAIN);
    if (status == CHANNEL_EMPTY)
        return step_wants(actor, channel, 0), NULL;
    if (status != CHANNEL_DONE)
        step_raise(actor, channel, status, site);
    if (actor->self.observed != 0)
        observe_taking(actor, channel, record, value, size);
    return value;
}

// The value was copied: the message is removed from the channel.
static void step_take(Actor *actor, Channel *channel)
{
    ChannelCredit credit = channel->ops->take(channel);
    if (actor->credit_pending != channel) {
        actor_flush_credit(actor);
        actor->credit_pending = channel;
    }
    if (credit.is_due)
        actor_flush_credit(actor);
    else
        step_charge(actor, credit.fast_takes);
}

// Moves the next message's value to `value`, which holds one of type `old` (NULL: nothing that is owned).
CHX_INLINE bool step_receive(Actor *actor, unsigned in, uint32_t site, const chx_type *old, void *value, size_t size)
{
    Channel *channel = actor->in[in];
    const void *received = step_read(actor, channel, site, size);
    if (received == NULL)
        return false;
    // Not before: what the variable holds is needed until there is something else.
    if (old != NULL)
        chx_value_drop(old, value);
    memcpy(value, received, size);
    step_take(actor, channel);
    return true;
}

bool chx_receive_slow(chx_self *self, unsigned in, uint32_t site, void *value, size_t size)
{
    return step_receive((Actor *)self, in, site, NULL, value, size);
}

bool chx_receive_into(chx_self *self, unsigned in, uint32_t site, const chx_type *type, void *variable)
{
    unsigned char received[CHX_FAST_BYTES];
    if (type->size <= CHX_FAST_BYTES) {
        if (!chx_receive(self, in, site, received, type->size))
            return false;
        chx_value_drop(type, variable);
        memcpy(variable, received, type->size);
        return true;
    }
    return step_receive((Actor *)self, in, site, type, variable, type->size);
}

uint32_t chx_arriving(chx_self *self, unsigned in)
{
    Actor *actor = (Actor *)self;
    const Record *record = step_allowed(actor) ? step_peek(actor, actor->in[in]) : NULL;
    return record != NULL ? record->site : 0;
}

void chx_bad_branch(chx_self *self, uint32_t site)
{
    Actor *actor = (Actor *)self;
    // If the one that told it may be broken itself, it is a failure like others, which can be rescued.
    bool is_trusted = true;
    for (size_t i = 0; i < actor->role->receives_from_count; i++)
        is_trusted &= actor->session->is_ready != NULL || actor->session->arm != NULL || actor->in[i]->ops->is_trusted;
    guard_raise(is_trusted ? CHX_FAULT_SYSTEM : CHX_FAULT_FAIL, 0, site,
                "internal error: %s was told to take a branch that site %u does not have", actor->role->role,
                (unsigned)site);
}

void chx_mismatch(chx_self *self, uint32_t site, const char *expected)
{
    (void)self;
    guard_raise(CHX_FAULT_PATTERN, 0, site, "the value received is not %s", expected);
}
