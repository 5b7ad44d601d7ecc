// observe.h: what happens at the steps of an actor when somebody looks: the trace writes it down, a simulated machine
// decides what comes next.
//
// chx_self.observed says who does, so that a step that nobody observes pays for one branch. Callers look at it first.

#ifndef RUNTIME_ACTOR_OBSERVE_H
#define RUNTIME_ACTOR_OBSERVE_H

#include "runtime/actor/actor.h"

// Bits of chx_self.observed and chx_runtime.observed.
enum { OBSERVED_TRACE = 1, OBSERVED_SIMULATION = 2 };

// How many receives and sends this turn may have.
uint32_t observe_budget(Actor *actor);
// Those that the actor makes ready may run in its place, in the same turn.
bool observe_hands_over(const Actor *actor);
// It waits, or hands over, next.
void observe_waiting(Actor *actor);
// After the message was put into the channel.
void observe_sent(Actor *actor, Channel *channel, uint32_t site);
// About to take the message out. May not return: a simulated crash.
void observe_taking(Actor *actor, Channel *channel, const Record *record);
// At the end of each turn.
void observe_turn(Actor *actor, ActorOutcome outcome, const Fault *fault);
// Frames come and go.
void observe_call(Actor *actor, const chx_function *function);
void observe_return(Actor *actor, const chx_function *function);
// A place where a role can crash besides its steps: the entry and the end of a checkpoint block. May not return.
void observe_boundary(Actor *actor);

#endif
