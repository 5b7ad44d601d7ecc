// lingering.c: see lingering.h.

#include "runtime/session/lingering.h"

#include "runtime/session/log.h"
#include "runtime/session/runtime.h"

#define LINGERING_NS UINT64_C(1000000000) // after that the log says whom a session waits for

typedef struct Lingering {
    LoopTimer timer; // first
    Session *session;
} Lingering;

// The role is at work, and what is read here may be old.
__attribute__((no_sanitize("thread"))) static uint32_t actor_last_site(const Actor *actor)
{
    return actor->self.site;
}

static bool lingering_claim(LoopTimer *timer)
{
    return session_join(((const Lingering *)(const void *)timer)->session);
}

static void lingering_run(LoopTimer *timer, uint64_t now_ns)
{
    (void)now_ns;
    Session *session = ((const Lingering *)(const void *)timer)->session;
    for (unsigned i = 0; i < session->actor_count; i++) {
        const Actor *actor = &session->actors[i];
        if (atomic_load(&actor->has_left) || actor->proxy != NULL)
            continue;
        log_write(session->runtime, CHX_LOG_WARN,
                  "%s:%d: the session is being stopped, and waits for %s, which is in a function that has not returned "
                  "for a second (chx_recall_fd tells such a function)",
                  actor_site_file(actor, actor_last_site(actor)), actor_site_line(actor, actor_last_site(actor)),
                  actor->role->role);
    }
    session_leave(session);
}

static const LoopTimerKind lingering_kind = {lingering_claim, lingering_run};

void lingering_watch(Session *session)
{
    chx_runtime *runtime = session->runtime;
    Lingering *lingering = runtime_allocate(runtime, sizeof *lingering);
    if (lingering == NULL)
        return;
    *lingering = (Lingering){.session = session};
    session->ending.lingering = lingering;
    if (!event_loop_add(&runtime->loop, &lingering->timer, &lingering_kind, runtime->platform->now_ns() + LINGERING_NS))
        lingering_end(session);
}

void lingering_end(Session *session)
{
    Lingering *lingering = session->ending.lingering;
    event_loop_detach(&session->runtime->loop, &lingering->timer); // it does not run: that would have kept the session
    runtime_release(session->runtime, lingering);
    session->ending.lingering = NULL;
}
