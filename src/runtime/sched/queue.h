// queue.h: a queue of actors that have something to do, shared by threads.

#ifndef RUNTIME_SCHED_QUEUE_H
#define RUNTIME_SCHED_QUEUE_H

#include "runtime/actor/actor.h"
#include "runtime/platform/platform.h"

#include <pthread.h>

typedef struct {
    pthread_mutex_t lock;
    Actor *first, *last;
    _Atomic uint32_t count; // changes with the lock held
} ActorQueue;

// Puts a chain of actors (next_queued) at the end.
void queue_append(ActorQueue *queue, Actor *first, Actor *last, uint32_t count);
// Takes out the first one; NULL: there is none. `freely`: not if its session is pinned to a worker.
Actor *queue_take(ActorQueue *queue, const Platform *platform, bool freely);
// Moves up to `limit` actors of the session (NULL: of any session) to the end of another queue, the oldest first.
void queue_move(ActorQueue *from, ActorQueue *to, const Session *session, uint32_t limit);

#endif
