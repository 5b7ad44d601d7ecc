// shm_channel.h: channels that lead to another process, or come from one. Implemented in isolation/.
//
// Such a channel's head is set so that projected code never works on it itself: every send and receive comes here.

#ifndef RUNTIME_CHANNEL_SHM_CHANNEL_H
#define RUNTIME_CHANNEL_SHM_CHANNEL_H

#include "runtime/actor/actor.h"
#include "runtime/platform/platform.h"

// Who waits for another process looks for a while before it sleeps: waking up costs more. At first all the time; then
// whoever is ready gets the processor in between, for it may be the one that is waited for.
enum {
    SPIN_BUDGET_LOOKS = 16,
    SPIN_BUDGET_NS = 20000,
};
typedef struct {
    uint64_t limit_ns; // 0: it does not look, since there is only one processor
    uint64_t start_ns;
    unsigned looks;
} SpinBudget;
// After a look in vain. False: that was the last one.
bool spin_budget_lasts(SpinBudget *spin_budget, const Platform *platform);
// For what an actor awaits from this channel.
SpinBudget shm_spin_budget(const Channel *channel);

// Is there room?
bool shm_room(Actor *actor, Channel *channel);
// Sends; the value is gone afterwards.
void shm_send(Actor *actor, Channel *channel, uint32_t site, void *value, size_t size);
// Takes the next message, which must be of this site, into `value`, which owns nothing. False: none there.
bool shm_receive(Actor *actor, Channel *channel, uint32_t site, void *value, size_t size);
// Memory of the channel's own, until it is asked again, for a value that is received. NULL: none to be had.
void *shm_value(Channel *channel, size_t size);
// The value has been taken out of there.
void shm_value_taken(Channel *channel);
// The site of the next message; 0: none there.
uint32_t shm_arriving(Actor *actor, Channel *channel);

// Messages were taken out, and the producer was not yet told (actor->credit_pending).
void shm_flush_credit(Channel *channel);

// The number of the message that was sent last, or that stands next.
uint64_t shm_sequence(const Channel *channel, bool sent);

// The actor is about to wait for the channel: the other end rings when something has changed.
void shm_announce_wait(Channel *channel, bool room);
// Can the actor go on, whether it waits for room or for a message?
bool shm_is_ready(Actor *actor, Channel *channel, bool room);

#endif
