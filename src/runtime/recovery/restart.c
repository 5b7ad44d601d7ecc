// restart.c: see restart.h.

#include "runtime/recovery/restart.h"

#include "runtime/session/log.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

// One more restart, after this fault: is that within the limit of its cast? If not, the fault says so.
static bool restart_is_allowed(Actor *actor, Fault *fault)
{
    static const char too_many[] = "and more restarts than the cast allows";
    if (actor->restarts.period_ms == 0)
        return actor->restarts.count < actor->restarts.max || fault_add(fault, too_many);
    uint64_t now_ns = actor->session->runtime->platform->now_ns();
    uint64_t period_ns = (uint64_t)actor->restarts.period_ms * 1000000;
    uint64_t limit = actor->restarts.max < RESTARTS_REMEMBERED ? actor->restarts.max : RESTARTS_REMEMBERED;
    if (actor->restarts.times == NULL) {
        actor->restarts.times = runtime_allocate(actor->session->runtime, limit * sizeof *actor->restarts.times);
        if (actor->restarts.times == NULL)
            return fault_add(fault, "and no memory for a restart");
    }
    uint64_t *oldest = &actor->restarts.times[actor->restarts.count % limit];
    if (actor->restarts.count >= limit && now_ns - *oldest < period_ns)
        return fault_add(fault, too_many);
    *oldest = now_ns;
    return true;
}

bool restart_decide(Actor *actor, Fault *fault, SourcePlace place, bool is_abandoned)
{
    Session *session = actor->session;
    if (session_is_stopping(session) || fault->kind == CHX_FAULT_SYSTEM)
        return false;
    // Where restarts are limited, a failure that no block takes up is not one more.
    if (actor->restarts.max != 0 &&
        ((!is_abandoned && recovery_in_charge(&actor->member) == NULL) || !restart_is_allowed(actor, fault)))
        return false;
    chx_fault cause = {actor->role->role, fault->kind, fault->signal, fault->why, place.file, place.line};
    RecoveryVerdict verdict = recovery_fail(&session->recovery, &actor->member, is_abandoned, &cause);
    if (verdict == RECOVERY_NO_MEMORY)
        return fault_add(fault, "and no memory for a restart");
    if (verdict == RECOVERY_NONE)
        return false;
    actor->restarts.count++;
    session->restarts++;
    return true;
}

void restart_log(const Actor *actor, const Fault *fault, SourcePlace place)
{
    log_write_at(actor->session->runtime, CHX_LOG_INFO, place.file, place.line, "%s failed and is restarted: %s",
                 actor->role->role, fault->why);
}
