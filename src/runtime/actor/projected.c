// projected.c: the steps of projected code that concern other roles.

#include "runtime/actor/actor.h"
#include "runtime/recovery/machine.h"
#include "runtime/recovery/broken.h"
#include "runtime/value/codec.h"
#include "runtime/channel/shm_channel.h"
#include "runtime/actor/observe.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

#include <string.h>

enum { SHM_SMALL_BYTES = 256 };

// Nothing to take, no room, or others' turn (NULL): what the actor waits for. Always false.
static bool step_wants(Actor *actor, Channel *channel, uintptr_t tag)
{
    actor->self.wants = (uintptr_t)channel | tag;
    return false;
}

static void step_charge(Actor *actor, uint64_t count)
{
    actor->budget -= count < actor->budget ? (uint32_t)count : actor->budget;
}

// One more step of this turn? Not if it has had enough, or the session has news for it.
static bool step_allowed(Actor *actor)
{
    if (actor->budget == 0 || chx_generation_changed(&actor->self))
        return step_wants(actor, NULL, 0);
    step_charge(actor, 1);
    return true;
}

chx_step chx_wait_for_ever(chx_self *self)
{
    static const Block never; // not done, now and always
    self->wants = (uintptr_t)&never | WANTS_BLOCK;
    return CHX_STEP_WAIT;
}

bool chx_room_slow(chx_self *self, unsigned out)
{
    Actor *actor = (Actor *)self;
    Channel *channel = &actor->out[out];
    if (!step_allowed(actor))
        return false;
    if (channel->shm != NULL)
        return shm_room(actor, channel) || step_wants(actor, channel, WANTS_ROOM);
    if (!channel_has_room(channel))
        return step_wants(actor, channel, WANTS_ROOM);
    step_charge(actor, channel_fast_sends(channel));
    return true;
}

void chx_notify(chx_self *self)
{
    Channel *channel = (Channel *)self->notify_pending;
    self->notify_pending = NULL;
    actor_notify((Actor *)self, channel->consumer, channel, &channel->head.sent);
}

void chx_notify_and_begin(chx_self *self)
{
    Channel *channel = (Channel *)self->notify_pending;
    self->notify_pending = NULL;
    actor_notify_and_begin((Actor *)self, channel->consumer, channel, &channel->head.sent);
}

void chx_send_slow(chx_self *self, unsigned out, uint32_t site, const void *value, size_t size)
{
    Actor *actor = (Actor *)self;
    Channel *channel = &actor->out[out];
    if (channel->shm != NULL) {
        shm_send(actor, channel, site, (void *)value, size);
        return;
    }
    if (!channel_push(channel, site, value, size)) {
        actor_drop_message(actor->role, site, value, size);
        guard_no_memory();
    }
    if (actor->self.observed != 0)
        observe_sent(actor, channel, site);
    actor_notify(actor, channel->consumer, channel, &channel->head.sent);
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

// A message of an abandoned attempt: nobody will ever read it, and its sender gets the room back.
static void step_discard(Actor *actor, Channel *channel, const Record *record)
{
    actor_drop_message(actor->role, record->site, record + 1, record->size);
    channel_pop(channel, record);
    channel_announce(channel);
    actor_notify(actor, channel->producer, channel, &channel->head.taken);
}

const Record *actor_peek(Actor *actor, Channel *channel)
{
    const Record *record;
    while ((record = channel_peek(channel)) != NULL && record->of.epoch != channel->head.taking.epoch) {
        if (is_broken(BROKEN_NO_EPOCH_CHECK))
            break;
        if (record->of.epoch > channel->head.taking.epoch)
            return NULL; // the sender is ahead: this role is about to be rolled back, or to enter the block
        step_discard(actor, channel, record);
    }
    return record;
}

static const Record *step_peek(Actor *actor, Channel *channel)
{
    if (!step_allowed(actor))
        return NULL;
    const Record *record = actor_peek(actor, channel);
    if (record == NULL)
        step_wants(actor, channel, 0);
    else if (actor->self.observed != 0 && !observe_arrived(actor, channel))
        return step_wants(actor, NULL, 0), NULL;
    return record;
}

// One of the mistakes of broken.h: the value of the newest message is exchanged with the oldest's.
static void step_take_newest(const Channel *channel, const Record *record)
{
    unsigned char *oldest = (unsigned char *)(record + 1), *newest = oldest;
    uint64_t count = atomic_load(&channel->head.sent) - atomic_load(&channel->head.taken);
    for (const Record *next; --count > 0; newest = (unsigned char *)(next + 1)) {
        next = (const Record *)(const void *)(newest - sizeof(Record) + CHX_RECORD_BYTES(record->size));
        if (next->size != record->size || next->site == SITE_NEXT_SEGMENT)
            break;
    }
    for (uint32_t i = 0; i < record->size; i++) {
        unsigned char byte = oldest[i];
        oldest[i] = newest[i];
        newest[i] = byte;
    }
}

static const Record *step_take(Actor *actor, unsigned in, uint32_t site, size_t size)
{
    Channel *channel = actor->in[in];
    const Record *record = step_peek(actor, channel);
    if (record == NULL)
        return NULL;
    bool checks = channel_checks(channel, record) || is_broken(BROKEN_NO_EPOCH_CHECK);
    if (record->site != site || record->size != size || !checks)
        guard_raise(CHX_FAULT_SYSTEM, 0, site, "internal error: message of site %u where %u was expected",
                    (unsigned)record->site, (unsigned)site);
    if (is_broken(BROKEN_LIFO))
        step_take_newest(channel, record);
    if (actor->self.observed != 0)
        observe_taking(actor, channel, record);
    return record;
}

static void step_taken(Actor *actor, unsigned in, const Record *record)
{
    Channel *channel = actor->in[in];
    channel_pop(channel, record);
    if (actor->credit_pending != channel) {
        actor_flush_credit(actor);
        actor->credit_pending = channel;
    }
    if (channel_should_announce(channel))
        actor_flush_credit(actor);
    else
        step_charge(actor, channel_allow_fast_takes(channel));
}

static bool step_receive_shm(Actor *actor, Channel *channel, uint32_t site, void *value, size_t size)
{
    return step_allowed(actor) && (shm_receive(actor, channel, site, value, size) || step_wants(actor, channel, 0));
}

// What the variable holds is needed until there is something else.
static bool step_receive_shm_into(Actor *actor, Channel *channel, uint32_t site, const chx_type *type, void *variable)
{
    _Alignas(16) unsigned char small[SHM_SMALL_BYTES];
    // Decoding may end in the guard: so no memory of this function's own.
    unsigned char *value = type->size <= sizeof small ? small : shm_value(channel, type->size);
    if (value == NULL)
        guard_no_memory();
    if (!step_receive_shm(actor, channel, site, value, type->size))
        return false;
    chx_value_drop(type, variable);
    memcpy(variable, value, type->size);
    if (value != small)
        shm_value_taken(channel);
    return true;
}

bool chx_receive_slow(chx_self *self, unsigned in, uint32_t site, void *value, size_t size)
{
    Actor *actor = (Actor *)self;
    if (actor->in[in]->shm != NULL)
        return step_receive_shm(actor, actor->in[in], site, value, size);
    const Record *record = step_take(actor, in, site, size);
    if (record == NULL)
        return false;
    memcpy(value, record + 1, size);
    step_taken(actor, in, record);
    return true;
}

bool chx_receive_into(chx_self *self, unsigned in, uint32_t site, const chx_type *type, void *variable)
{
    Actor *actor = (Actor *)self;
    if (actor->in[in]->shm != NULL)
        return step_receive_shm_into(actor, actor->in[in], site, type, variable);
    const Record *record = step_take(actor, in, site, type->size);
    if (record == NULL)
        return false;
    chx_value_drop(type, variable);
    memcpy(variable, record + 1, type->size);
    step_taken(actor, in, record);
    return true;
}

uint32_t chx_arriving(chx_self *self, unsigned in)
{
    Actor *actor = (Actor *)self;
    if (actor->in[in]->shm != NULL) {
        if (!step_allowed(actor))
            return 0;
        uint32_t site = shm_arriving(actor, actor->in[in]);
        if (site == 0)
            step_wants(actor, actor->in[in], 0);
        return site;
    }
    const Record *record = step_peek(actor, actor->in[in]);
    return record != NULL ? record->site : 0;
}

void chx_bad_branch(chx_self *self, uint32_t site)
{
    Actor *actor = (Actor *)self;
    // Who told it may be a process that is broken: then it is a failure like others, and can be rescued.
    bool is_shm = false;
    for (size_t i = 0; i < actor->role->receives_from_count; i++)
        is_shm |= actor->in[i]->shm != NULL;
    guard_raise(is_shm ? CHX_FAULT_FAIL : CHX_FAULT_SYSTEM, 0, site,
                "internal error: %s was told to take a branch that site %u does not have", actor->role->role,
                (unsigned)site);
}

void chx_mismatch(chx_self *self, uint32_t site, const char *expected)
{
    (void)self;
    guard_raise(CHX_FAULT_PATTERN, 0, site, "the value received is not %s", expected);
}
