// monitor.h: decides what follows when an actor ends, is stopped, or fails.

#ifndef RUNTIME_SESSION_MONITOR_H
#define RUNTIME_SESSION_MONITOR_H

#include "runtime/actor/actor.h"

// The actor, in the caller's hand, does not go on. guard->fault is read on ACTOR_FAILED. Afterwards the actor and its
// session may be gone.
void monitor_actor_left(Actor *actor, ActorOutcome outcome, Guard *guard);

#endif
