// central.c: the frame around sequential programs (chorcc --central): failures caught, one actor that is every role in
// turn.

#include "runtime/actor/effect.h"
#include "runtime/isolation/isolation.h"
#include "runtime/session/session.h"

#include <stdio.h>
#include <string.h>

// How often a role has been at a site (effect.h), or a block has been entered (role: ROLE_NONE).
typedef struct {
    uint32_t role, site, count;
} CentralCount;
enum { ROLE_NONE = UINT32_MAX };

typedef struct {
    CentralCount *items;
    size_t count, capacity;
    size_t next; // where the next one is likely to be: steps come in the same order again
} CentralCounts;

// A checkpoint that the program is in: the frame as it was when that was entered, and what was counted since.
typedef struct Saved Saved;
struct Saved {
    Saved *outer;
    EffectPath path;
    CentralCounts counts;
    _Alignas(16) unsigned char frame[];
};

typedef struct {
    Actor actor; // first
    Session session;
    Saved *saved;         // of the blocks that it is in, innermost first
    CentralCounts counts; // outside of all blocks
    uint32_t count;       // of the step that it is in
    const chx_choreography *choreography;
    const chx_actor *cast;
    chx_role none; // before the first chx_central_at
    const chx_role *roles[];
} Central;

// ---- counting ----

static uint32_t *central_count(Central *central, CentralCounts *counts, uint32_t role, uint32_t site)
{
    for (size_t i = 0; i < counts->count; i++) {
        size_t at = (counts->next + i) % counts->count;
        CentralCount *item = &counts->items[at];
        if (item->role == role && item->site == site) {
            counts->next = at + 1;
            return &item->count;
        }
    }
    if (counts->count == counts->capacity) {
        void *grown = runtime_grow(central->session.runtime, counts->items, &counts->capacity, sizeof *counts->items);
        if (grown == NULL)
            guard_no_memory();
        counts->items = grown;
    }
    counts->items[counts->count] = (CentralCount){role, site, 0};
    return &counts->items[counts->count++].count;
}

static void central_forget_counts(Central *central, CentralCounts *counts)
{
    runtime_release(central->session.runtime, counts->items);
    *counts = (CentralCounts){0};
}

// Of the innermost block.
static CentralCounts *central_counts(Central *central)
{
    return central->saved != NULL ? &central->saved->counts : &central->counts;
}

// A step begins.
static void central_step(Central *central, unsigned role, uint32_t site)
{
    central->count = ++*central_count(central, central_counts(central), role, site);
}

void central_effect(const Actor *actor, EffectPath *path, uint32_t *count)
{
    const Central *central = (const Central *)actor;
    *path = central->saved != NULL ? central->saved->path : effect_outermost();
    *count = central->count;
}

// ---- saved frames ----

static void central_copy(const chx_function *function, void *to, const void *from)
{
    memcpy(to, from, function->frame_size);
    // A copy may fail: until then nothing is owned twice.
    for (size_t i = 0; i < function->variable_count; i++)
        if (function->variables[i].type->owning)
            memset((char *)to + function->variables[i].offset, 0, function->variables[i].type->size);
    for (size_t i = 0; i < function->variable_count; i++) {
        const chx_variable *variable = &function->variables[i];
        if (variable->type->owning)
            chx_value_copy(variable->type, (char *)to + variable->offset, (const char *)from + variable->offset);
    }
}

static Saved *central_save(Central *central, const chx_frame *frame)
{
    Saved *saved = runtime_allocate(central->session.runtime, sizeof *saved + frame->function->frame_size);
    if (saved == NULL)
        guard_no_memory();
    memset(saved, 0, sizeof *saved + frame->function->frame_size);
    ((chx_frame *)(void *)saved->frame)->function = frame->function;
    saved->outer = central->saved;
    central->saved = saved;
    central_copy(frame->function, saved->frame, frame);
    return saved;
}

// Drops those that are further in than `until`.
static void central_forget(Central *central, const Saved *until)
{
    while (central->saved != until) {
        Saved *saved = central->saved;
        central->saved = saved->outer;
        central_forget_counts(central, &saved->counts);
        stack_drop_frame((chx_frame *)(void *)saved->frame);
        runtime_release(central->session.runtime, saved);
    }
}

// ---- running ----

static void central_report(const Central *central, const Fault *fault)
{
    Report *report = report_last();
    report_clear(report);
    report->report.role = central->actor.role->role;
    report->report.kind = fault->kind;
    report->report.signal = fault->signal;
    report->report.file = central->choreography->file;
    report->report.line = central->actor.central_line;
    report->report.restarts = central->session.restarts;
    strcpy(report->why, fault->why);
}

typedef struct {
    Central *central;
    void (*body)(chx_self *self, void *closure);
    void *closure;
} CentralRun;

static void central_body(void *closure)
{
    const CentralRun *run = closure;
    run->body(&run->central->actor.self, run->closure);
}

// The roles are cast, and all else is zero.
static chx_status central_run(Central *central, chx_runtime *runtime, void (*body)(chx_self *self, void *closure),
                              void *closure)
{
    const chx_choreography *choreography = central->choreography;
    central->none = (chx_role){.name = "", .choreography = choreography->name, .role = "", .file = choreography->file};
    central->session.runtime = runtime;
    session_make_token(&central->session);
    ThreadState thread;
    isolation_thread_enter(runtime, &thread);
    current()->depth++;
    central->session.float_control = thread.float_control;
    chx_status status = CHX_OK;
    Chunk chunk;
    Actor *actor = &central->actor;
    actor->session = &central->session;
    actor->role = &central->none;
    stack_init(actor, &chunk, 0);
    actor->is_central = true;
    Guard guard;
    report_clear(report_last());
    if (!guard_run(&guard, actor, central_body, &(CentralRun){central, body, closure})) {
        status = CHX_FAILED;
        central_report(central, &guard.fault);
    }
    central_forget(central, NULL);
    central_forget_counts(central, &central->counts);
    actor_unwind(actor);
    actor_fini(actor);
    current()->depth--;
    isolation_thread_leave(&thread);
    return status;
}

chx_status chx_central(const chx_choreography *choreography, const chx_actor *cast,
                       void (*body)(chx_self *self, void *closure), void *closure)
{
    size_t size = sizeof(Central) + choreography->role_count * sizeof(const chx_role *);
    if (!session_fits(choreography))
        return CHX_NO_MEMORY;
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
    central->choreography = choreography;
    central->cast = cast;
    if (status == CHX_OK)
        status = central_run(central, runtime, body, closure);
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
    chx_step_begin(self, site);
    actor->central_line = line;
    actor->role = central->roles[role];
    actor->index = role;
    central_step(central, role, site);
    actor->context = central->cast != NULL ? central->cast[role].context : NULL;
}

const chx_role *chx_central_role(chx_self *self, unsigned role)
{
    return ((Central *)self)->roles[role];
}

// ---- checkpoints ----

typedef int (*CentralBody)(chx_self *self, void *frame);

static void central_init(Central *central, const chx_role *restarted)
{
    if (restarted == NULL || restarted->init == NULL)
        return;
    central->actor.self.site = CHX_SITE_INIT;
    central_step(central, central->actor.index, CHX_SITE_INIT);
    restarted->init();
    chx_step_end(&central->actor.self);
}

// Nobody can say who was late; the fault names whoever acted last.
static void central_deadline(Central *central, Fault *fault, uint64_t within_ns, int line)
{
    central->actor.central_line = line;
    fault->kind = CHX_FAULT_DEADLINE;
    fault->signal = 0;
    snprintf(fault->why, sizeof fault->why, "not at the end of the block within %llu ms",
             (unsigned long long)(within_ns / 1000000));
}

typedef struct {
    Central *central;
    CentralBody body;
    void *frame;
    const chx_role *restarted;
    int way;
} CentralAttempt;

// One attempt of a body, which begins with the `init` of the role that has been restarted for it (NULL: none).
static void central_attempt(void *closure)
{
    CentralAttempt *attempt = closure;
    central_init(attempt->central, attempt->restarted);
    attempt->way = attempt->body(&attempt->central->actor.self, attempt->frame);
}

// After a failed attempt: everything is as it was when the block was entered.
static void central_restore(Central *central, chx_frame *frame, Saved *saved)
{
    Actor *actor = &central->actor;
    chx_release(&actor->self);
    central_forget(central, saved);
    central_forget_counts(central, &saved->counts);
    stack_unwind_to(actor, frame, true);
    stack_drop_frame(frame);
    central_copy(frame->function, frame, saved->frame);
}

int chx_central_checkpoint(chx_self *self, void *frame, uint32_t site, uint32_t retries, uint64_t within_ns, int line,
                           int (*body)(chx_self *self, void *frame),
                           int (*rescue)(chx_self *self, void *frame, const chx_fault *fault))
{
    Central *central = (Central *)self;
    Actor *actor = &central->actor;
    const Platform *platform = central->session.runtime->platform;
    EffectPath path = central->saved != NULL ? central->saved->path : effect_outermost();
    uint32_t ordinal = (*central_count(central, central_counts(central), ROLE_NONE, site))++;
    const chx_role *restarted = NULL;
    Saved *saved = central_save(central, frame);
    saved->path = effect_block(path, site, ordinal, false);
    Guard guard;
    for (uint64_t attempt = 0; attempt <= retries; attempt++) {
        CentralAttempt run = {central, body, frame, restarted, 0};
        uint64_t begin_ns = within_ns != 0 ? platform->now_ns() : 0;
        bool finished = guard_run(&guard, actor, central_attempt, &run);
        bool is_late = within_ns != 0 && platform->now_ns() - begin_ns > within_ns;
        if (finished && !is_late) {
            central_forget(central, saved->outer);
            return run.way;
        }
        restarted = is_late ? NULL : actor->role;
        if (is_late)
            central_deadline(central, &guard.fault, within_ns, line);
        if (guard.fault.kind == CHX_FAULT_SYSTEM || (attempt == retries && rescue == NULL)) {
            central_forget(central, saved->outer);
            guard_raise(guard.fault.kind, guard.fault.signal, guard.fault.site, "%s", guard.fault.why);
        }
        central_restore(central, frame, saved);
        central->session.restarts += !is_late;
    }
    saved->path = effect_block(path, site, ordinal, true);
    chx_fault fault = {
        .role = actor->role->role,
        .kind = guard.fault.kind,
        .signal = guard.fault.signal,
        .why = guard.fault.why,
        .file = central->choreography->file,
        .line = actor->central_line,
    };
    central_init(central, restarted);
    int way = rescue(self, frame, &fault);
    central_forget(central, saved->outer);
    return way;
}

void chx_central_mismatch(chx_self *self, const char *expected)
{
    guard_raise(CHX_FAULT_PATTERN, 0, self->site, "the value received is not %s", expected);
}
