// queue.c: see queue.h.

#include "runtime/sched/queue.h"

#include "runtime/session/session.h"

// The lock is held. `order`: whoever puts something into the queue looks then for somebody who sleeps, and whoever is about to sleep looks
// into the queue. Who takes something out need not be seen at once: others look for nothing then.
static void queue_count(ActorQueue *queue, uint32_t change, memory_order order)
{
    uint32_t count = atomic_load_explicit(&queue->count, memory_order_relaxed) + change;
    atomic_store_explicit(&queue->count, count, order);
}

// Takes out the one after `before` (NULL: the first). The lock is held.
static Actor *queue_unlink(ActorQueue *queue, Actor *before)
{
    Actor **link = before != NULL ? &before->next_queued : &queue->first;
    Actor *actor = *link;
    *link = actor->next_queued;
    if (queue->last == actor)
        queue->last = before;
    queue_count(queue, (uint32_t)-1, memory_order_release);
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
    queue_count(queue, count, memory_order_seq_cst);
    pthread_mutex_unlock(&queue->lock);
}

// Sessions that wait for the outside are in no cache when it is their turn. What the next one touches is fetched while the one
// before it is served. To know what that is, the actor and the beginning of its session must be there: these have been
// fetched one and two turns earlier. The lock is held, so they don't go away.
static void queue_fetch(const ActorQueue *queue)
{
    const Actor *first = queue->first, *second, *third;
    if (first == NULL || atomic_load_explicit(&first->again, memory_order_relaxed) == NULL)
        return;
    Worker *worker = current()->worker;
    if (worker != NULL)
        session_fetch_begin(first, &worker->fetch);
    if ((second = first->next_queued) == NULL)
        return;
    __builtin_prefetch(second->session);
    if ((third = second->next_queued) != NULL)
        __builtin_prefetch(&third->session);
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
    queue_fetch(queue);
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
        if (session != NULL && actor->session->root != session) {
            before = actor;
            continue;
        }
        queue_unlink(from, before);
        queue_append(to, actor, actor, 1);
        limit--;
    }
    pthread_mutex_unlock(&from->lock);
}
