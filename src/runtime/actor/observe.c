// observe.c: see observe.h.

#include "runtime/actor/observe.h"

#include "runtime/session/runtime.h"
#include "runtime/session/session.h"
#include "runtime/value/codec.h"

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
static void observe_message(Actor *actor, const Channel *channel, uint32_t site, uint32_t epoch, bool is_out,
                            const char *text)
{
    if (actor_is_traced(actor) && !channel->is_fast)
        trace_message(actor, channel, site, epoch, is_out, text[0] != '\0' ? text : NULL);
}

void observe_sending(Actor *actor, uint32_t site, const void *value, size_t size, char text[DESCRIPTION_BYTES])
{
    text[0] = '\0';
    if (!actor_is_traced(actor) || !trace_has_values())
        return;
    const chx_site *found = role_site(actor->role, site);
    if (found != NULL)
        value_describe(found->type, value, size, text);
}

void observe_sent(Actor *actor, const Channel *channel, uint32_t site, const char text[DESCRIPTION_BYTES])
{
    observe_message(actor, channel, site, channel->head.sending.epoch, true, text);
}

void observe_taking(Actor *actor, const Channel *channel, const Record *record, const void *value, size_t size)
{
    char text[DESCRIPTION_BYTES];
    actor->self.site = record->site;
    observe_boundary(actor);
    observe_sending(actor, record->site, value, size, text);
    observe_message(actor, channel, record->site, record->of.epoch, false, text);
}
