// effects.c: what the recovery machine asks for, in a running program. See machine.h.
//
// Roles of this program that wait are woken, and then look what has happened; isolated ones are told (isolation/).

#include "runtime/recovery/effects.h"

#include "runtime/actor/again.h"
#include "runtime/actor/elsewhere.h"
#include "runtime/arms/arms.h"
#include "runtime/durable/durable.h"
#include "runtime/session/runtime.h"

static Actor *actor_of(Member *member)
{
    return (Actor *)(void *)((char *)member - offsetof(Actor, member));
}

// The session is pinned to this worker: the actor waits, on this thread.
static inline void wake_waiting(Actor *actor)
{
    atomic_store_explicit(&actor->waits, 0, memory_order_relaxed);
    Worker *worker = current()->worker;
    if (atomic_load_explicit(&worker->next, memory_order_relaxed) == NULL)
        atomic_store_explicit(&worker->next, actor, memory_order_release);
    else
        scheduler_ready_here(actor);
}

// Takes the actor out of its wait for `what` (NULL: any) and lets it run.
static inline void wake(Session *session, Actor *actor, const Block *what)
{
    if (!session->recovery.is_exclusive) {
        if (actor_wake(actor, what))
            scheduler_ready(&session->runtime->scheduler, actor);
        return;
    }
    // The actor waits, is queued, or is the one that runs, all on this thread.
    uintptr_t waits = atomic_load_explicit(&actor->waits, memory_order_relaxed);
    if (waits == 0 || (what != NULL && waits != (uintptr_t)what))
        return;
    // What it waits for outside may happen at this moment, on another thread.
    if (CHX_UNLIKELY(waits == (uintptr_t)atomic_load_explicit(&actor->again, memory_order_relaxed)) &&
        !actor_wake(actor, NULL))
        return;
    wake_waiting(actor);
}

// At the end of a durable block a role of this program waits for the store, which wakes it.
static __attribute__((noinline)) void effect_go_slow(Recovery *recovery, Actor *actor, Block *block)
{
    if (actor->proxy != NULL)
        actor->proxy->ops->go(actor->proxy, block);
    else if (!block->checkpoint->is_durable || session_of(recovery)->durable == NULL)
        wake(session_of(recovery), actor, block);
}

// The session is pinned to this worker, in an owner section, and the actor waits for the end of the round, which has come. If all it would do next is
// to wait for a message, it waits for that at once, and begins the round when the message is there.
//
// No wake-up is lost. The actor waits before and after the store, and at no time it does not: whoever wakes it for a rollback or the
// session's end, whatever it waits for, finds it waiting. The message has not been sent (the channel is empty, and its producer
// is on this worker, which is here), and whoever sends it finds the actor waiting for it, as if it had come to that by itself. That
// the round has begun while the role has not noticed is nothing new: so it is for a role that is woken, until it runs.
static bool begins_by_waiting(Actor *actor, const Position *position)
{
    uint32_t awaits = position->checkpoint->awaits;
    // No block: it is left for good.
    if (awaits == 0 || position->block == NULL || !position_is_renewed(position))
        return false;
    Channel *channel = (Channel *)(void *)actor->self.in[awaits - 1];
    if (channel->ops != &memory_channel_ops || atomic_load_explicit(&channel->head.sent, memory_order_relaxed) !=
                                                   atomic_load_explicit(&channel->head.taken, memory_order_relaxed))
        return false;
    actor->self.wants = (uintptr_t)channel;
    atomic_store_explicit(&actor->waits, (uintptr_t)channel, memory_order_release);
    return true;
}

static void effect_go(Recovery *recovery, Member *member, Block *block)
{
    // A session that is pinned to a worker has no isolated roles.
    Actor *actor = actor_of(member);
    if (CHX_UNLIKELY(!recovery->is_exclusive))
        effect_go_slow(recovery, actor, block);
    else if (atomic_load_explicit(&actor->waits, memory_order_relaxed) == (uintptr_t)block &&
             !(block->checkpoint->is_round && begins_by_waiting(actor, member_innermost(member))))
        wake_waiting(actor);
}

// Those that run see it at their next step with others; those that wait are woken.
static void effect_roll_back(Recovery *recovery, const Block *block)
{
    Session *session = session_of(recovery);
    uint32_t generation = atomic_load(&session->generation);
    if (session->durable != NULL && block->checkpoint->is_durable)
        durable_decide(session, block);
    session->rollback_depths[generation % ROLLBACKS_REMEMBERED] = block->depth;
    atomic_fetch_add(&session->generation, 1);
    if (!recovery->is_exclusive)
        scheduler_quiesce(&session->runtime->scheduler);
    for (size_t i = 0; i < block->checkpoint->participant_count; i++) {
        Actor *actor = actor_of(recovery_member(recovery, block->checkpoint->participants[i]));
        if (actor->proxy != NULL) {
            actor->proxy->ops->roll_back(actor->proxy);
            continue;
        }
        again_recall(actor);
        wake(session, actor, NULL);
    }
    if (!recovery->is_exclusive)
        scheduler_resume(&session->runtime->scheduler);
}

static void effect_gone(Recovery *recovery, const Block *block)
{
    arms_forget_block(session_of(recovery), block);
}

const RecoveryEffects recovery_effects = {
    .allocate = runtime_allocate,
    .release = runtime_release,
    .page_take = page_take,
    .page_give = page_give,
    .arm = deadline_arm,
    .disarm = deadline_disarm,
    .roll_back = effect_roll_back,
    .go = effect_go,
    .gone = effect_gone,
};
