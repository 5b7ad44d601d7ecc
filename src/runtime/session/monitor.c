// monitor.c: see monitor.h. A failure outside of every checkpoint ends the session.

#include "runtime/session/monitor.h"

#include "runtime/recovery/checkpoint.h"

#include "runtime/session/log.h"
#include "runtime/session/session.h"

static void actor_give_up(void *closure)
{
    checkpoint_abandon(closure);
    actor_unwind(closure);
}

// Variables of a role that has crashed may be damaged: a crash while they are released costs memory, not the program.
static void actor_unwind_guarded(Actor *actor)
{
    Guard guard;
    if (!guard_run(&guard, actor, actor_give_up, actor))
        log_write(actor->session->runtime, CHX_LOG_WARN, "%s's variables could not be released", actor->role->role);
}

void monitor_actor_left(Actor *actor, ActorOutcome outcome, Guard *guard)
{
    Session *session = actor->session;
    if (outcome == ACTOR_FAILED) {
        uint32_t site = guard->fault.site;
        session_fail(session, CHX_FAILED, actor->role->role, &guard->fault, actor->role->file,
                     actor_site_line(actor, site));
    }
    if (outcome == ACTOR_ENDED)
        actor_flush_credit(actor);
    else
        actor_unwind_guarded(actor);
    session_leave(session);
}
