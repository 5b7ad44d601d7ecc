// central.c: the frame around sequential programs (chorcc --central): failures caught, one actor that is every role in
// turn.

#include "runtime/core/isolation.h"
#include "runtime/core/session.h"

#include <string.h>

typedef struct {
    Actor actor; // first
    Session session;
    const chx_choreography *choreography;
    const chx_actor *cast;
    chx_role none; // before the first chx_central_at
    const chx_role *roles[];
} Central;

static void central_report(const Central *central, const Fault *fault)
{
    Report *report = report_last();
    report_clear(report);
    report->report.role = central->actor.role->role;
    report->report.kind = fault->kind;
    report->report.signal = fault->signal;
    report->report.file = central->choreography->file;
    report->report.line = central->actor.central_line;
    strcpy(report->why, fault->why);
}

static bool central_body(Central *central, Guard *guard, void (*body)(chx_self *self, void *closure), void *closure)
{
    volatile bool finished = false;
    guard_enter(guard, &central->actor);
    if (sigsetjmp(guard->jump, 0) == 0) {
        body(&central->actor.self, closure);
        finished = true;
    }
    guard_leave(guard);
    return finished;
}

chx_status chx_central(const chx_choreography *choreography, const chx_actor *cast,
                       void (*body)(chx_self *self, void *closure), void *closure)
{
    size_t size = sizeof(Central) + choreography->role_count * sizeof(const chx_role *);
    chx_runtime *runtime = runtime_default();
    Central *central = runtime != NULL ? runtime_allocate(runtime, size) : NULL;
    if (central == NULL) {
        report_refuse(NULL, choreography->file, "out of memory");
        return CHX_NO_MEMORY;
    }
    memset(central, 0, size);
    chx_status status = CHX_OK;
    for (unsigned i = 0; i < choreography->role_count && status == CHX_OK; i++)
        status = plan_cast(choreography, cast, i, &central->roles[i]);
    if (status != CHX_OK) {
        runtime_release(runtime, central);
        return status;
    }
    isolation_thread_prepare(runtime);
    central->choreography = choreography;
    central->cast = cast;
    central->none = (chx_role){.name = "", .choreography = choreography->name, .role = "", .file = choreography->file};
    central->session.runtime = runtime;
    runtime->platform->random(central->session.token, sizeof central->session.token);
    Chunk chunk = {.capacity = 0};
    Actor *actor = &central->actor;
    actor->session = &central->session;
    actor->role = &central->none;
    actor->chunk = &chunk;
    actor->is_central = true;
    Guard guard;
    report_clear(report_last());
    if (!central_body(central, &guard, body, closure)) {
        status = CHX_FAILED;
        central_report(central, &guard.fault);
    }
    chx_release(&actor->self);
    actor_fini(actor);
    runtime_release(runtime, central);
    return status;
}

chx_session *chx_central_start(const chx_choreography *choreography, size_t definition, const chx_actor *cast,
                               void (*body)(chx_self *self, void *closure), void *closure, const void *results)
{
    chx_status status = chx_central(choreography, cast, body, closure);
    if (status != CHX_OK && status != CHX_FAILED)
        return NULL;
    chx_runtime *runtime = runtime_default();
    Session *session = session_new_ended(runtime, choreography, &choreography->definitions[definition]);
    if (session == NULL)
        return NULL;
    atomic_store(&session->status, (int)status);
    report_copy(&session->report, report_last());
    if (status == CHX_OK && results != NULL)
        memcpy(session->results, results, session->definition->result_size);
    return (chx_session *)session;
}

void chx_central_at(chx_self *self, unsigned role, uint32_t site, int line)
{
    Central *central = (Central *)self;
    Actor *actor = &central->actor;
    chx_at(self, site);
    actor->central_line = line;
    actor->role = central->roles[role];
    actor->index = role;
    actor->context = central->cast != NULL ? central->cast[role].context : NULL;
}

const chx_role *chx_central_role(chx_self *self, unsigned role)
{
    return ((Central *)self)->roles[role];
}

void chx_central_mismatch(chx_self *self, const char *expected)
{
    guard_raise(CHX_FAULT_PATTERN, 0, self->site, "the value received is not %s", expected);
}
