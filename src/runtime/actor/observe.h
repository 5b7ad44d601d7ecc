// observe.h: what happens at the steps of an actor when somebody looks: the trace writes it down, a simulated machine
// decides what comes next.
//
// chx_self.observed says who does, so that a step that nobody observes pays for one branch. Callers look at it first.

#ifndef RUNTIME_ACTOR_OBSERVE_H
#define RUNTIME_ACTOR_OBSERVE_H

#include "runtime/actor/actor.h"
#include "runtime/session/trace.h"
#include "runtime/value/describe.h"

// Bits of chx_self.observed and chx_runtime.observed; the last one of the latter only: the steps of sessions that are listed
// (session/top.h) are not observed.
enum { OBSERVED_TRACE = 1, OBSERVED_SIMULATION = 2, OBSERVED_TOP = 4 };

static inline bool actor_is_traced(const Actor *actor)
{
    return (actor->self.observed & OBSERVED_TRACE) != 0;
}

static inline bool actor_is_simulated(const Actor *actor)
{
    return (actor->self.observed & OBSERVED_SIMULATION) != 0;
}

// Before the message is put into the channel, when its value is still the sender's, and after that: `text` is what the first
// has written about it.
void observe_sending(Actor *actor, uint32_t site, const void *value, size_t size, char text[DESCRIPTION_BYTES]);
void observe_sent(Actor *actor, const Channel *channel, uint32_t site, const char text[DESCRIPTION_BYTES]);
// About to take the message out. May not return: a simulated crash.
void observe_taking(Actor *actor, const Channel *channel, const Record *record, const void *value, size_t size);
// A place where a role can crash besides its steps: the entry and the end of a checkpoint block. May not return.
void observe_boundary(Actor *actor);

#endif
