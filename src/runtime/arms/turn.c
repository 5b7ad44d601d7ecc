// turn.c: see turn.h.

#include "runtime/arms/turn.h"

#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

void turn_init(Turn *turn)
{
    *turn = (Turn){.lock = PTHREAD_MUTEX_INITIALIZER};
    atomic_init(&turn->state, TURN_TAKEN);
}

void turn_fini(Turn *turn)
{
    pthread_mutex_destroy(&turn->lock);
}

static void turn_lock(Turn *turn)
{
    current()->busy++;
    pthread_mutex_lock(&turn->lock);
}

static void turn_unlock(Turn *turn)
{
    pthread_mutex_unlock(&turn->lock);
    current()->busy--;
}

static void append(Turn *turn, Actor *actor)
{
    actor->next_queued = NULL;
    if (turn->first == NULL)
        turn->first = actor;
    else
        turn->last->next_queued = actor;
    turn->last = actor;
}

bool turn_try(Turn *turn)
{
    uint32_t state = TURN_FREE;
    return atomic_compare_exchange_strong(&turn->state, &state, TURN_TAKEN);
}

bool turn_take(Turn *turn, Actor *actor)
{
    if (turn_try(turn))
        return true;
    turn_lock(turn);
    bool is_granted = turn->granted == actor;
    if (is_granted)
        turn->granted = NULL;
    // Whoever gives it back between the two looks for those that want it, with the lock.
    bool has_it = is_granted || atomic_exchange(&turn->state, TURN_WANTED) == TURN_FREE;
    if (!has_it)
        append(turn, actor);
    turn_unlock(turn);
    return has_it;
}

void turn_queue_up(Turn *turn, Actor *actor)
{
    turn_lock(turn);
    append(turn, actor);
    atomic_store(&turn->state, TURN_WANTED);
    turn_unlock(turn);
}

void turn_release(Turn *turn)
{
    // Once it is free another worker can take it, and end the session, with which it goes: it is not touched any more.
    for (uint32_t state = TURN_TAKEN; turn != NULL && !atomic_compare_exchange_strong(&turn->state, &state, TURN_FREE);
         state = TURN_TAKEN) {
        turn_lock(turn);
        Actor *next = turn->first;
        if (next != NULL)
            turn->first = next->next_queued;
        else
            atomic_store(&turn->state, TURN_TAKEN);
        turn->granted = next;
        turn_unlock(turn);
        if (next != NULL) {
            scheduler_ready(&next->session->runtime->scheduler, next);
            return;
        }
    }
}

bool turn_is_awaited(Turn *turn, const Actor *actor)
{
    turn_lock(turn);
    bool is_awaited = turn->granted == actor;
    for (const Actor *each = turn->first; each != NULL && !is_awaited; each = each->next_queued)
        is_awaited = each == actor;
    turn_unlock(turn);
    return is_awaited;
}
