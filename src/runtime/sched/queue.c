// queue.c: see queue.h.

#include "runtime/sched/queue.h"

#include "runtime/session/session.h"

// The lock is held.
static void queue_count(ActorQueue *queue, uint32_t change)
{
    atomic_store(&queue->count, atomic_load_explicit(&queue->count, memory_order_relaxed) + change);
}

// Takes out the one after `before` (NULL: the first). The lock is held.
static Actor *queue_unlink(ActorQueue *queue, Actor *before)
{
    Actor **link = before != NULL ? &before->next_queued : &queue->first;
    Actor *actor = *link;
    *link = actor->next_queued;
    if (queue->last == actor)
        queue->last = before;
    queue_count(queue, (uint32_t)-1);
    return actor;
}

void queue_append(ActorQueue *queue, Actor *first, Actor *last, uint32_t count)
{
    last->next_queued = NULL;
    pthread_mutex_lock(&queue->lock);
    if (queue->first == NULL)
        queue->first = first;
    else
        queue->last->next_queued = first;
    queue->last = last;
    queue_count(queue, count);
    pthread_mutex_unlock(&queue->lock);
}

Actor *queue_take(ActorQueue *queue, const Platform *platform, bool freely)
{
    if (atomic_load(&queue->count) == 0)
        return NULL;
    pthread_mutex_lock(&queue->lock);
    Actor *before = NULL, *actor = queue->first;
    // On a simulated machine any one may come first.
    for (uint32_t i = actor != NULL && platform->choose != NULL ? platform->choose(queue->count) : 0; i > 0; i--) {
        before = actor;
        actor = actor->next_queued;
    }
    if (actor != NULL && freely && session_is_pinned(actor->session))
        actor = NULL;
    if (actor != NULL)
        queue_unlink(queue, before);
    pthread_mutex_unlock(&queue->lock);
    return actor;
}

void queue_move(ActorQueue *from, ActorQueue *to, const Session *session, uint32_t limit)
{
    Actor *before = NULL;
    if (atomic_load(&from->count) == 0)
        return;
    pthread_mutex_lock(&from->lock);
    for (Actor *actor = from->first, *next; actor != NULL && limit > 0; actor = next) {
        next = actor->next_queued;
        if (session != NULL && actor->session != session) {
            before = actor;
            continue;
        }
        queue_unlink(from, before);
        queue_append(to, actor, actor, 1);
        limit--;
    }
    pthread_mutex_unlock(&from->lock);
}
