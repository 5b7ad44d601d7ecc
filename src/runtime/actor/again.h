// again.h: roles that wait for the outside: a descriptor, a time, the end of another session.
//
// A role's function ends its step without a result (chx_again_when and the like): it leaves the function by a jump, as a
// failure does, what the step has made is released, and the actor waits, without a thread, until the step is begun again.
// Functions that wait by themselves get a descriptor that becomes readable when the role is called back (chx_recall_fd).

#ifndef RUNTIME_ACTOR_AGAIN_H
#define RUNTIME_ACTOR_AGAIN_H

#include "runtime/actor/actor.h"
#include "runtime/platform/event_loop.h"
#include "runtime/platform/poller.h"
#include "runtime/sched/watcher.h"

typedef enum { AGAIN_NONE, AGAIN_WHEN, AGAIN_AFTER, AGAIN_WHEN_OVER } AgainKind;

// What an actor waits for outside. Made when it first does so, and kept until its session is over.
struct Again {
    PollWaiter waiter; // first: it, and what follows at once, is needed when a descriptor is ready
    Actor *actor;
    const chx_site *site; // of the step that waited last
    AgainKind kind;
    bool is_armed;         // somebody is to wake the actor
    _Atomic bool is_ready; // what it waits for has happened
    bool is_woken;         // the poller has woken the actor, which is not yet run then, and no longer knows of it
    int error;             // what it waits for can't be waited for: errno
    int number;            // WHEN: the descriptor
    short events;
    uint64_t due_ns;  // AFTER
    Session *session; // WHEN_OVER: until its end this is on its list
    Again *next;      // on that list
    LoopTimer timer;
    Descriptor recall[2]; // none: nobody has asked for it
};

// The actor's step has been ended by one of the functions: it is to be begun again. False: it can't be, and guard->fault says
// why.
bool again_begin(Actor *actor, Guard *guard);
// The actor, which is about to wait, is to be woken from now on. False: it need not wait.
bool again_arm(Again *again);
// The actor goes on, whatever the reason. In a guard: if it could not wait, the step fails.
void again_end(Actor *actor);
// The same for one that does not go on.
void again_cancel(Actor *actor);
void again_fini(Actor *actor);

// Does the actor wait for the outside, or is about to?
static inline bool again_is_awaited(const Actor *actor)
{
    uintptr_t waits = atomic_load(&actor->waits);
    return waits != 0 && (waits & ~WAITS_PREPARING) == (uintptr_t)atomic_load(&actor->again);
}

// The role is called back, or its session ends: tells a function of it that waits by itself. Any thread.
void again_recall(Actor *actor);
// The role has come back.
void again_recalled(Actor *actor);

// The session is about to end: wakes those who wait for that.
void again_session_over(Session *session);
// Actors in the caller's hand, linked by next_queued.
typedef struct {
    Actor *first, *last;
    unsigned count;
} ActorChain;
static inline void chain_add(ActorChain *chain, Actor *actor)
{
    actor->next_queued = NULL;
    *(chain->last != NULL ? &chain->last->next_queued : &chain->first) = actor;
    chain->last = actor;
    chain->count++;
}
// What a look into the poller finds. The context of poller_poll is one of these.
typedef struct {
    WatcherList watchers; // the first member
    ActorChain actors;    // those whose descriptors are ready
} Woken;

#endif
