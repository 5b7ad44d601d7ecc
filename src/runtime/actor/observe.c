// observe.c: see observe.h.

#include "runtime/actor/observe.h"

#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

void observe_boundary(Actor *actor)
{
    if (actor_is_simulated(actor))
        actor->session->runtime->platform->boundary(actor);
}

void chx_observe(chx_self *self)
{
    Actor *actor = (Actor *)self;
    observe_boundary(actor);
    if (actor_is_traced(actor))
        trace_step(actor);
}

void chx_observe_pass(chx_self *self, uint32_t site)
{
    chx_step_begin(self, site);
}

// Messages on fast channels are not traced: most of them nobody sees.
static void observe_message(Actor *actor, const Channel *channel, uint32_t site, uint32_t epoch, bool is_out)
{
    if (actor_is_traced(actor) && !channel->is_fast)
        trace_message(actor, channel, site, epoch, is_out);
}

void observe_sent(Actor *actor, const Channel *channel, uint32_t site)
{
    observe_message(actor, channel, site, channel->head.sending.epoch, true);
}

void observe_taking(Actor *actor, const Channel *channel, const Record *record)
{
    actor->self.site = record->site;
    observe_boundary(actor);
    observe_message(actor, channel, record->site, record->of.epoch, false);
}
