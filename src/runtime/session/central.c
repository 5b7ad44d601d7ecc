// central.c: the frame around sequential programs (chorcc --central): failures caught, one actor that is every role in
// turn.

#include "runtime/actor/effect.h"
#include "runtime/isolation/isolation.h"
#include "runtime/recovery/effects.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/session/session.h"
#include "runtime/session/spread.h"

#include <stdlib.h>
#include <string.h>

// A step: what the counter with the same index in actor.self.counts counts (effect.h).
typedef struct {
    uint32_t role, site;
} CentralStep;

typedef struct {
    Actor actor; // first
    Session session;
    CentralStep *steps;
    size_t step_count, step_capacity;
    size_t next;                          // where the next one is likely to be: steps come in the same order again
    uint32_t count;                       // of the step that it is in
    const chx_choreography *choreography; // with families: spread out
    const chx_actor *cast;                // the same
    chx_role none;                        // before the first chx_central_at
    const chx_role *roles[];
} Central;

// ---- counting ----

// Room for one more step.
static void central_grow(Central *central)
{
    chx_runtime *runtime = central->session.runtime;
    chx_self *self = &central->actor.self;
    size_t capacity = central->step_capacity;
    chx_count *counts = runtime_grow(runtime, self->counts, &capacity, sizeof *counts);
    if (counts == NULL)
        guard_no_memory();
    self->counts = counts;
    CentralStep *steps = runtime_grow(runtime, central->steps, &central->step_capacity, sizeof *steps);
    if (steps == NULL)
        guard_no_memory();
    central->steps = steps;
}

// The index of the step.
static size_t central_find(Central *central, uint32_t role, uint32_t site)
{
    for (size_t i = 0; i < central->step_count; i++) {
        size_t at = (central->next + i) % central->step_count;
        if (central->steps[at].role == role && central->steps[at].site == site)
            return at;
    }
    if (central->step_count == central->step_capacity)
        central_grow(central);
    central->steps[central->step_count] = (CentralStep){role, site};
    central->actor.self.counts[central->step_count] = (chx_count){0};
    return central->step_count++;
}

// A step begins.
static void central_step(Central *central, unsigned role, uint32_t site)
{
    chx_self *self = &central->actor.self;
    size_t at = central_find(central, role, site);
    central->next = at + 1;
    if (self->counts[at].level != self->level)
        chx_count_first(self, (uint32_t)at + 1);
    central->count = ++self->counts[at].count;
}

uint32_t central_count(const Actor *actor)
{
    return ((const Central *)actor)->count;
}

// Leaves the blocks that are further in than the first so many.
static void central_leave(Central *central, size_t depth)
{
    while (central->actor.member.count > depth)
        savepoint_pop(&central->actor);
}

// ---- running ----

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
    central->none.spread = choreography->spread;
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
        report_fault(report_last(), actor->role->role, &guard.fault, choreography->file, actor->central_line,
                     central->session.restarts);
    }
    central_leave(central, 0);
    actor_unwind(actor);
    actor_fini(actor);
    runtime_release(runtime, actor->self.counts);
    runtime_release(runtime, central->steps);
    current()->depth--;
    isolation_thread_leave(&thread);
    return status;
}

// The roles are no families, or these are spread out.
static chx_status central_play(const chx_choreography *choreography, const chx_actor *cast,
                               void (*body)(chx_self *self, void *closure), void *closure)
{
    size_t size = sizeof(Central) + choreography->role_count * sizeof(const chx_role *);
    if (!session_fits(choreography))
        return CHX_NO_MEMORY;
    chx_runtime *runtime = runtime_default();
    Central *central = runtime != NULL ? runtime_allocate(runtime, size) : NULL;
    if (central == NULL)
        return report_refuse(CHX_NO_MEMORY, NULL, choreography->file, "out of memory");
    memset(central, 0, size);
    chx_status status = CHX_OK;
    for (unsigned i = 0; i < choreography->role_count && status == CHX_OK; i++) {
        if (choreography->spread != NULL)
            central->roles[i] = cast[i].role;
        else
            status = plan_cast(choreography, cast, i, &central->roles[i]);
        if (status == CHX_OK && central->roles[i]->entry_count != 0)
            status = report_refuse(CHX_INVALID, choreography->roles[i], choreography->file,
                                   "%s is no part of a sequential program: write its file with 'chorcc --central' too",
                                   central->roles[i]->name);
    }
    central->choreography = choreography;
    central->cast = cast;
    if (status == CHX_OK)
        status = central_run(central, runtime, body, closure);
    runtime_release(runtime, central);
    return status;
}

chx_status chx_central(const chx_choreography *choreography, const chx_actor *cast,
                       void (*body)(chx_self *self, void *closure), void *closure)
{
    if (choreography->places == NULL)
        return central_play(choreography, cast, body, closure);
    chx_actor *flat = NULL;
    chx_status status = spread_cast(choreography, cast, &choreography, &flat);
    if (status == CHX_OK)
        status = central_play(choreography, flat, body, closure);
    free(flat);
    return status;
}

chx_session *chx_central_start(const chx_choreography *choreography, size_t definition, const chx_actor *cast,
                               void (*body)(chx_self *self, void *closure), void *closure, const void *results)
{
    chx_status status = chx_central(choreography, cast, body, closure);
    if (status != CHX_OK && status != CHX_FAILED)
        return NULL;
    const chx_definition *of = &choreography->definitions[definition];
    return session_new_ended(runtime_default(), choreography, of, status, results);
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

void chx_central_at_member(chx_self *self, unsigned role, size_t member, uint32_t site, int line)
{
    Central *central = (Central *)self;
    const struct chx_spread *spread = central->choreography->spread;
    self->member = member;
    if (member < spread->counts[role]) {
        chx_central_at(self, spread->firsts[role] + (unsigned)member, site, line);
        return;
    }
    // A member that does not exist is about to fail for that.
    chx_step_begin(self, site);
    central->actor.central_line = line;
    central->actor.role = &central->none;
}

const chx_role *chx_central_me(const chx_self *self)
{
    return ((const Actor *)self)->role;
}

void chx_central_results(const chx_type *type, void *results, const void *first, size_t count, size_t stride)
{
    chx_results *members = results;
    members->item = calloc(count + 1, type->size);
    if (members->item == NULL)
        guard_no_memory();
    for (size_t i = 0; i < count; i++) {
        chx_value_copy(type, (char *)members->item + i * type->size, (const char *)first + i * stride);
        members->count = i + 1;
    }
}

const chx_role *chx_central_role(chx_self *self, unsigned role)
{
    return ((Central *)self)->roles[role];
}

// ---- checkpoints ----

static void central_init(Central *central, const chx_role *restarted)
{
    if (restarted == NULL || restarted->init == NULL)
        return;
    central->actor.self.site = CHX_SITE_INIT;
    central_step(central, central->actor.index, CHX_SITE_INIT);
    restarted->init();
    chx_step_end(&central->actor.self);
}

typedef struct {
    Central *central;
    int (*body)(chx_self *self, void *frame);
    int (*rescue)(chx_self *self, void *frame, const chx_fault *fault);
    void *frame;
    const chx_role *restarted;
    const chx_fault *fault; // NULL: it is an attempt of the body
    int way;
} CentralAttempt;

// One attempt, which begins with the `init` of the role that has been restarted for it (NULL: none).
static void central_attempt(void *closure)
{
    CentralAttempt *attempt = closure;
    chx_self *self = &attempt->central->actor.self;
    central_init(attempt->central, attempt->restarted);
    attempt->way = attempt->fault == NULL ? attempt->body(self, attempt->frame)
                                          : attempt->rescue(self, attempt->frame, attempt->fault);
}

// The fault of the attempt that has just ended, as the rescue sees it; `why` has room for REPORT_WHY_SIZE bytes.
static chx_fault central_fault(const Central *central, const Fault *fault, char *why)
{
    strcpy(why, fault->why);
    return (chx_fault){
        .role = central->actor.role->role,
        .kind = fault->kind,
        .signal = fault->signal,
        .why = why,
        .file = central->choreography->file,
        .line = central->actor.central_line,
    };
}

int chx_central_checkpoint(chx_self *self, void *frame, uint32_t site, uint32_t retries, uint64_t within_ns, int line,
                           bool is_round, int (*body)(chx_self *self, void *frame),
                           int (*rescue)(chx_self *self, void *frame, const chx_fault *fault))
{
    Central *central = (Central *)self;
    Actor *actor = &central->actor;
    const Platform *platform = central->session.runtime->platform;
    size_t depth = actor->member.count;
    chx_checkpoint checkpoint = {.site = site, .name = site, .retries = retries};
    Savepoint *savepoint = savepoint_add(actor, frame, &checkpoint);
    CentralAttempt run = {central, body, rescue, frame, NULL, NULL, 0};
    chx_fault fault;
    char why[REPORT_WHY_SIZE];
    Guard guard;
    for (uint64_t attempt = 0; attempt <= retries || is_round; attempt++) {
        bool has_deadline = within_ns != 0 && attempt <= retries;
        uint64_t begin_ns = has_deadline ? platform->now_ns() : 0;
        bool finished = guard_run(&guard, actor, central_attempt, &run);
        bool is_late = has_deadline && platform->now_ns() - begin_ns > within_ns;
        if (finished && !is_late) {
            central_leave(central, depth);
            return run.way;
        }
        run.restarted = is_late ? NULL : actor->role;
        if (is_late) {
            // Nobody can say who was late; the fault names whoever acted last.
            actor->central_line = line;
            deadline_fault(&guard.fault, guard.fault.site, within_ns);
        }
        if (guard.fault.kind == CHX_FAULT_SYSTEM || (attempt >= retries && rescue == NULL)) {
            central_leave(central, depth);
            guard_raise(guard.fault.kind, guard.fault.signal, guard.fault.site, "%s", guard.fault.why);
        }
        // Everything is as it was when the block was entered.
        central_leave(central, depth + 1);
        savepoint_begin_again(actor, savepoint);
        savepoint->position.attempt++;
        central->session.restarts += !is_late;
        fault = central_fault(central, &guard.fault, why);
        run.fault = attempt >= retries ? &fault : NULL;
    }
    // A failure in the rescue is the enclosing block's.
    central_attempt(&run);
    central_leave(central, depth);
    return run.way;
}

void chx_central_mismatch(chx_self *self, const char *expected)
{
    guard_raise(CHX_FAULT_PATTERN, 0, self->site, "the value received is not %s", expected);
}
