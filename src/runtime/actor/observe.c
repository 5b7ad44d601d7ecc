// observe.c: see observe.h.

#include "runtime/actor/observe.h"

#include "runtime/session/runtime.h"
#include "runtime/session/session.h"
#include "runtime/session/trace.h"

static bool is_traced(const Actor *actor)
{
    return (actor->self.observed & OBSERVED_TRACE) != 0;
}

static bool is_simulated(const Actor *actor)
{
    return (actor->self.observed & OBSERVED_SIMULATION) != 0;
}

static const Platform *platform_of(const Actor *actor)
{
    return actor->session->runtime->platform;
}

void observe_boundary(Actor *actor)
{
    if (is_simulated(actor))
        platform_of(actor)->boundary(actor);
}

void chx_observe(chx_self *self)
{
    Actor *actor = (Actor *)self;
    observe_boundary(actor);
    if (is_traced(actor))
        trace_step(actor);
}

void chx_observe_pass(chx_self *self, uint32_t site)
{
    chx_step_begin(self, site);
}

uint32_t observe_budget(Actor *actor)
{
    return is_simulated(actor) ? platform_of(actor)->budget() : TURN_BUDGET;
}

bool observe_hands_over(const Actor *actor)
{
    return is_simulated(actor);
}

void observe_waiting(Actor *actor)
{
    if (is_simulated(actor))
        platform_of(actor)->waiting();
}

// Messages on fast channels are not traced: most of them nobody sees.
static bool is_traced_on(const Actor *actor, const Channel *channel)
{
    return is_traced(actor) && !channel->is_fast;
}

void observe_sent(Actor *actor, Channel *channel, uint32_t site)
{
    if (is_traced_on(actor, channel))
        trace_message(actor, channel, site, channel->head.sending.epoch, true);
}

void observe_taking(Actor *actor, Channel *channel, const Record *record)
{
    actor->self.site = record->site;
    observe_boundary(actor);
    if (is_traced_on(actor, channel))
        trace_message(actor, channel, record->site, record->of.epoch, false);
}

void observe_turn(Actor *actor, ActorOutcome outcome, const Fault *fault)
{
    if (is_traced(actor))
        trace_turn(actor, outcome, fault);
}

void observe_call(Actor *actor, const chx_function *function)
{
    if (is_traced(actor))
        trace_function(actor, EVENT_CALL, function);
}

void observe_return(Actor *actor, const chx_function *function)
{
    if (is_traced(actor))
        trace_function(actor, EVENT_RETURN, function);
}
