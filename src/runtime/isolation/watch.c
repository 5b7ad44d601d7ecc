// watch.c: do the roles of a session with isolated roles still get on? See parent.h.
//
// A process that has gone wrong may have written over what others wait for, so that they are not woken.

#include "runtime/isolation/parent.h"

#include "runtime/actor/again.h"
#include "runtime/durable/durable.h"

void actor_nudge(Actor *actor)
{
    if (actor->proxy != NULL)
        doorbell_ring(role_proxy(actor)->doorbell);
    else if (actor_wake(actor, NULL))
        scheduler_ready(&actor->session->runtime->scheduler, actor);
}

// Not those that wait for the outside: no process can have written over that.
void isolated_wake_all(IsolatedSession *isolated)
{
    Session *session = isolated->session;
    for (unsigned i = 0; i < session->actor_count; i++) {
        Actor *actor = &session->actors[i];
        if (actor->proxy == NULL && !again_is_awaited(actor))
            actor_nudge(actor);
        else if (actor->proxy != NULL && role_proxy(actor)->state == PROXY_ALIVE)
            doorbell_wake(role_proxy(actor)->doorbell);
        if (actor->proxy != NULL)
            proxy_wake_arms(role_proxy(actor));
    }
}

void isolated_look_for_ended(IsolatedSession *isolated)
{
    Session *session = isolated->session;
    for (const Block *block = session->recovery.blocks; block != NULL; block = recovery_next_block(block)) {
        const chx_checkpoint *checkpoint = block->checkpoint;
        for (size_t i = 0; !block->done && i < checkpoint->participant_count; i++) {
            RoleProxy *proxy = role_proxy(&session->actors[checkpoint->participants[i]]);
            if (proxy != NULL && proxy->state == PROXY_LEFT)
                proxy_blame(proxy, "others in a block");
        }
    }
}

// Does each role that has not ended wait for another, and no deadline of a block will wake them?
static bool isolated_sleeps(IsolatedSession *isolated)
{
    Session *session = isolated->session;
    if (session->durable != NULL && !cut_is_settled(&session->durable->cut))
        return false; // they wait for the store
    for (const Block *block = session->recovery.blocks; block != NULL; block = recovery_next_block(block))
        if (block->deadline != NULL)
            return false;
    uint32_t waiting = 0;
    for (unsigned i = 0; i < session->actor_count; i++) {
        Actor *actor = &session->actors[i];
        const RoleProxy *proxy = role_proxy(actor);
        if (proxy == NULL) {
            uintptr_t waits = atomic_load(&actor->waits);
            waiting += waits != 0 && (waits & WAITS_PREPARING) == 0 && !again_is_awaited(actor);
        } else if (proxy->state == PROXY_ALIVE && proxy->fault.kind == CHX_FAULT_NONE) {
            waiting += atomic_load(&proxy->control->asleep) == (uint64_t)atomic_load(&proxy->doorbell->word) + 1;
        }
    }
    return waiting == session_live(session);
}

// A number that changes with whatever happens among the session's roles.
static uint64_t isolated_progress(const IsolatedSession *isolated)
{
    const Session *session = isolated->session;
    uint64_t sum = session->recovery.epoch;
    for (unsigned i = 0; i < isolated->proxy_count; i++)
        sum += isolated->proxies[i].answered + isolated->proxies[i].command_number + isolated->proxies[i].goes;
    for (size_t i = 0; i < session->channel_count; i++) {
        const ShmChannel *shm = shm_channel(&session->channels[i]);
        if (shm != NULL)
            sum += 3 * atomic_load(&shm->ring.words->tail) + atomic_load(&shm->ring.words->head);
    }
    return sum;
}

void isolated_look_for_deadlock(IsolatedSession *isolated)
{
    uint64_t progress = isolated_progress(isolated);
    bool sleeps = isolated_sleeps(isolated);
    if (sleeps && isolated->slept && isolated->progress == progress)
        proxy_fail_session(
            &isolated->proxies[0], CHX_FAULT_SYSTEM,
            "each role waits for another: a process has written over what it shares with others, or got lost");
    isolated->slept = sleeps;
    isolated->progress = progress;
}
