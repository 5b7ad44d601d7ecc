// part_start.c: how roles of a session that is decided elsewhere are started, told something and ended: chorex/remote.h.

#include "runtime/remote/part.h"

#include "runtime/actor/again.h"
#include "runtime/remote/remote.h"
#include "runtime/session/log.h"
#include "runtime/session/registry.h"
#include "runtime/session/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the plan ----

// Only the roles that are here have channels: each of them an end for whomever it sends to, and for whomever it receives from.

// The role's ends of channels, first those that it sends on. Each place in the table of incoming ones is used once.
static void plan_add_channels(Plan *plan, unsigned index)
{
    PlanRole *own = &plan->roles[index];
    const chx_role *role = own->role;
    own->out_first = plan->channel_count;
    own->in_first = plan->in_count;
    for (size_t i = 0; i < role->receives_from_count; i++)
        plan->channel_table[own->out_first + role->sends_to_count + i] =
            (PlanChannel){role->receives_from[i], index, own->in_first + i};
    for (size_t i = 0; i < role->sends_to_count; i++)
        plan->channel_table[own->out_first + i] =
            (PlanChannel){index, role->sends_to[i], own->in_first + role->receives_from_count + i};
    plan->channel_count += role->sends_to_count + role->receives_from_count;
    plan->in_count = plan->channel_count;
    own->count_first = plan->count_count;
    plan->count_count += role->counter_count;
    plan->checkpoint_count += role->checkpoint_count + 1; // there is room for what is saved in any case
}

static void plan_add_role(Plan *plan, chx_role *stub, unsigned index, const chx_role *role)
{
    const chx_choreography *choreography = plan->choreography;
    PlanRole *own = &plan->roles[index];
    if (role == NULL) {
        *stub = (chx_role){.version = CHX_GENERATED_VERSION,
                           .name = choreography->roles[index],
                           .choreography = choreography->name,
                           .role = choreography->roles[index],
                           .index = index,
                           .digest = choreography->digest,
                           .file = choreography->file};
        *own = (PlanRole){.role = stub};
        return;
    }
    *own = (PlanRole){.role = role, .entry = &role->entries[plan->definition_index]};
    plan_add_channels(plan, index);
}

static Parts *parts_allocate(chx_runtime *runtime, const chx_choreography *choreography, size_t channels, size_t count)
{
    size_t roles = choreography->role_count;
    Parts *parts = runtime_allocate(runtime, sizeof *parts + count * sizeof *parts->parts);
    if (parts == NULL)
        return NULL;
    memset(parts, 0, sizeof *parts + count * sizeof *parts->parts);
    parts->plan = runtime_allocate(runtime, sizeof(Plan) + roles * sizeof(PlanRole));
    parts->stubs = runtime_allocate(runtime, (roles + 1) * sizeof *parts->stubs);
    parts->channels = runtime_allocate(runtime, (channels + 1) * sizeof *parts->channels);
    PlanChannel *table = runtime_allocate(runtime, (channels + 1) * sizeof *table);
    if (parts->plan != NULL)
        *parts->plan = (Plan){.channel_table = table};
    if (parts->plan == NULL || parts->stubs == NULL || parts->channels == NULL || table == NULL) {
        if (parts->plan == NULL)
            runtime_release(runtime, table);
        parts_free(runtime, parts);
        return NULL;
    }
    return parts;
}

void parts_free(chx_runtime *runtime, Parts *parts)
{
    for (size_t i = 0; parts->has_begun && i < parts->count; i++)
        parts->parts[i].ops->freed(parts->parts[i].context);
    if (parts->has_begun && parts->ops != NULL)
        parts->ops->freed(parts->context);
    if (parts->plan != NULL)
        runtime_release(runtime, parts->plan->channel_table);
    runtime_release(runtime, parts->plan);
    runtime_release(runtime, parts->stubs);
    runtime_release(runtime, parts->channels);
    runtime_release(runtime, parts);
}

// ---- starting ----

void parts_attach(Session *session, Parts *parts)
{
    parts->session = session;
    session->parts = parts;
    for (unsigned i = 0; i < session->actor_count; i++)
        atomic_store(&session->actors[i].has_left, true);
    for (size_t i = 0; i < parts->count; i++) {
        Part *part = &parts->parts[i];
        Actor *actor = part->actor = &session->actors[part->index];
        part->away.ops = &part_away_ops;
        actor->away = &part->away;
        atomic_store(&actor->has_left, false);
        // It asks what to do before its first step.
        actor->self.generation_seen = atomic_load(actor->self.generation) - 1;
        size_t first = session->plan->roles[part->index].out_first, outs = actor->role->sends_to_count;
        for (size_t j = 0; j < outs + actor->role->receives_from_count; j++) {
            unsigned peer = j < outs ? actor->role->sends_to[j] : actor->role->receives_from[j - outs];
            part_channel_init(&session->channels[first + j], &parts->channels[first + j], part, peer, j < outs);
        }
        PartChannel *ends = &parts->channels[first];
        for (size_t j = 0; j < outs; j++)
            for (size_t k = 0; k < actor->role->receives_from_count; k++)
                if (ends[outs + k].peer == ends[j].peer)
                    ends[j].from = &ends[outs + k];
    }
}

size_t parts_count(const Parts *parts)
{
    return parts->count;
}

static void parts_start(Session *session)
{
    Actor *first = NULL, *last = NULL, **end = &first;
    for (size_t i = 0; i < session->parts->count; i++) {
        *end = last = session->parts->parts[i].actor;
        end = &last->next_queued;
    }
    if (first != NULL)
        scheduler_start(&session->runtime->scheduler, first, last, (unsigned)session->parts->count);
}

void parts_stopped(Session *session, chx_status status, const char *why)
{
    Parts *parts = session->parts;
    for (size_t i = 0; !atomic_load(&parts->is_stopped) && i < parts->count; i++)
        parts->parts[i].ops->stopped(parts->parts[i].context, status, why);
    if (!atomic_load(&parts->is_stopped) && parts->ops != NULL)
        parts->ops->stopped(parts->context, status, why);
}

void parts_left(Session *session)
{
    Parts *parts = session->parts;
    for (size_t i = 0; i < parts->count; i++) {
        chx_buffer_free(&parts->parts[i].buffer);
        if (parts->has_begun)
            parts->parts[i].ops->left(parts->parts[i].context);
    }
    if (parts->has_begun && parts->ops != NULL)
        parts->ops->left(parts->context);
}

// Who plays the role here, and the number of its channels. On failure the thread's report says why.
static chx_status part_cast(const chx_choreography *choreography, size_t definition, const chx_actor *cast,
                            unsigned index, const chx_role **role, size_t *channels)
{
    chx_status status = plan_cast(choreography, cast, index, role);
    if (status != CHX_OK)
        return status;
    if (definition >= (*role)->entry_count)
        return report_refuse(CHX_INVALID, choreography->roles[index], choreography->file, "%s does not play %s",
                             (*role)->name, choreography->definitions[definition].name);
    *channels += (*role)->sends_to_count + (*role)->receives_from_count;
    return CHX_OK;
}

static void parts_plan(Parts *parts, const chx_choreography *choreography, size_t definition,
                       const chx_role *const *cast)
{
    Plan *plan = parts->plan;
    PlanChannel *table = plan->channel_table;
    *plan = (Plan){.choreography = choreography,
                   .definition = &choreography->definitions[definition],
                   .definition_index = definition,
                   .role_count = (unsigned)choreography->role_count,
                   .channel_table = table};
    for (unsigned i = 0; i < plan->role_count; i++)
        plan_add_role(plan, &parts->stubs[i], i, cast[i]);
    for (size_t i = 0; i < plan->definition->result_count; i++)
        plan->roles[plan->definition->results[i].role].result = &plan->definition->results[i];
    plan_lay_out(plan);
}

typedef struct {
    chx_runtime *runtime;
    const chx_choreography *choreography;
    size_t definition;
    const chx_actor *cast;
    const void *arguments;
} PartStart;

static Session *parts_begin(const PartStart *start, Parts *parts)
{
    Session *session;
    if (session_make(start->runtime, parts->plan, start->cast, start->arguments, &(SessionKind){.parts = parts},
                     &session) != CHX_OK)
        return NULL; // the parts are gone
    if (!scheduler_has_worker(&start->runtime->scheduler)) {
        session_discard(session);
        report_refuse(CHX_NO_MEMORY, NULL, start->choreography->file,
                      "no thread could be started: out of memory, or too many threads");
        return NULL;
    }
    report_clear(report_last());
    parts->has_begun = true;
    parts_start(session);
    return session;
}

chx_session *chx_part_start(chx_runtime *runtime, const chx_choreography *choreography, size_t definition,
                            const chx_actor *cast, const unsigned *roles, size_t count, const void *arguments,
                            const chx_part_ops *ops, void *const *contexts)
{
    Current *here = current();
    const chx_role **found = runtime_allocate(runtime, (choreography->role_count + 1) * sizeof *found);
    size_t channels = 0;
    chx_status status = found != NULL ? CHX_OK : CHX_NO_MEMORY;
    here->busy++;
    if (found != NULL)
        memset(found, 0, choreography->role_count * sizeof *found);
    for (size_t i = 0; i < count && status == CHX_OK; i++)
        status = part_cast(choreography, definition, cast, roles[i], &found[roles[i]], &channels);
    Parts *parts = status == CHX_OK ? parts_allocate(runtime, choreography, channels, count) : NULL;
    if (status == CHX_NO_MEMORY || (status == CHX_OK && parts == NULL))
        report_refuse(CHX_NO_MEMORY, NULL, choreography->file, "out of memory");
    Session *session = NULL;
    if (parts != NULL) {
        parts->count = count;
        if (count == 0 && contexts != NULL) {
            parts->ops = ops;
            parts->context = contexts[0];
        }
        for (size_t i = 0; i < count; i++)
            parts->parts[i] = (Part){.ops = ops, .context = contexts[i], .index = roles[i]};
        parts_plan(parts, choreography, definition, found);
        session = parts_begin(&(PartStart){runtime, choreography, definition, cast, arguments}, parts);
    }
    if (found != NULL)
        runtime_release(runtime, found);
    here->busy--;
    return session;
}

// ---- telling ----

static void part_ready(Actor *actor)
{
    scheduler_ready(&actor->session->runtime->scheduler, actor);
}

void chx_part_wake(chx_session *session, unsigned role, unsigned peer)
{
    Actor *actor = &session->actors[role];
    uintptr_t waits = atomic_load(&actor->waits) & ~WAITS_PREPARING;
    const Channel *channel = (const Channel *)waits;
    const Channel *first = actor->out, *end = first + actor->role->sends_to_count + actor->role->receives_from_count;
    // It waits for one of its channels, or for something else.
    if (channel < first || channel >= end)
        return;
    if (((const PartChannel *)channel->transport)->peer == peer && actor_wake(actor, channel))
        part_ready(actor);
}

void chx_part_go(chx_session *session, unsigned role)
{
    Actor *actor = &session->actors[role];
    if (actor_wake(actor, actor_part(actor)))
        part_ready(actor);
}

void chx_part_call(chx_session *session, unsigned role)
{
    Actor *actor = &session->actors[role];
    atomic_fetch_add(&session->generation, 1);
    again_recall(actor);
    if (actor_wake(actor, NULL))
        part_ready(actor);
}

void chx_part_stop(chx_session *session, chx_status status, const chx_fault *about, unsigned restarts)
{
    const chx_choreography *choreography = session->plan->choreography;
    const char *role = "";
    Fault fault = {.kind = about->kind, .signal = about->signal};
    // The report's names outlive the session. The role may be one that is played elsewhere.
    for (size_t i = 0; about->role != NULL && i < choreography->role_count; i++)
        if (strcmp(choreography->roles[i], about->role) == 0)
            role = choreography->roles[i];
    snprintf(fault.why, sizeof fault.why, "%s", about->why != NULL ? about->why : "");
    atomic_store(&session->parts->is_stopped, true);
    atomic_store(&session->restarts, restarts);
    session_fail(session, status, role, &fault, choreography->file, about->line);
}

void chx_part_release(chx_session *session, bool is_detached)
{
    if (is_detached)
        atomic_store(&session->ending.is_detached, true);
    session_leave(session);
}

void chx_part_queues(bool queues)
{
    Worker *worker = current()->worker;
    if (worker != NULL)
        atomic_store_explicit(&worker->queues, queues, memory_order_relaxed);
}

chx_runtime *chx_part_runtime(void)
{
    return runtime_default();
}

void chx_part_log(chx_runtime *runtime, chx_log_level level, const char *text)
{
    log_write(runtime, level, "%s", text);
}

void *chx_part_context(const chx_session *session)
{
    bool has_any = session != NULL && session->parts != NULL && session->parts->count > 0;
    return has_any ? session->parts->parts[0].context : NULL;
}

bool chx_part_result(chx_session *session, unsigned role, const void *data, size_t size)
{
    const chx_result_slot *slot = session->plan->roles[role].result;
    return slot == NULL ? size == 0 : chx_decode(slot->type, session->results + slot->offset, data, size);
}

void *chx_part_results(chx_session *session)
{
    return session->results;
}

void chx_part_describe(chx_session *session, unsigned role, char *text, size_t size)
{
    const Actor *actor = &session->actors[role];
    uintptr_t waits = atomic_load(&actor->waits) & ~(uintptr_t)WAITS_PREPARING;
    const Channel *channel = (const Channel *)waits;
    const Channel *first = actor->out, *in = first + actor->role->sends_to_count;
    bool is_channel = channel >= first && channel < in + actor->role->receives_from_count;
    int line = actor_site_line(actor, actor->self.site);
    if (is_channel)
        snprintf(text, size, "at line %d, waits for %s %s", line,
                 channel < in ? "room in the channel to" : "a message of",
                 session->plan->choreography->roles[((const PartChannel *)channel->transport)->peer]);
    else
        snprintf(text, size, "at line %d, %s", line,
                 atomic_load(&actor->has_left) ? "has left"
                 : waits != 0                  ? "waits for the others, or for orders"
                                               : "runs, or is to be run");
}

chx_status chx_part_finish(chx_session *session, void *result, size_t size)
{
    if (session == NULL || session->parts == NULL || session->parts->count != 1) {
        if (result != NULL)
            memset(result, 0, size);
        return chx_finish(NULL, NULL);
    }
    unsigned role = session->parts->parts[0].index;
    const chx_result_slot *slot = session->plan->roles[role].result;
    size_t all = session->definition->result_size, offset = slot != NULL ? slot->offset : 0;
    unsigned char *results = result != NULL && slot != NULL ? calloc(1, all + 1) : NULL;
    bool lacks_memory = result != NULL && slot != NULL && results == NULL;
    chx_status status = chx_finish(session, results);
    if (result != NULL)
        memset(result, 0, size);
    if (results != NULL && status == CHX_OK)
        memcpy(result, results + offset, size);
    free(results);
    if (lacks_memory && status == CHX_OK)
        return report_refuse(CHX_NO_MEMORY, NULL, NULL, "out of memory");
    return status;
}

PartStarter part_starter;
_Thread_local bool part_arguments_stay;

bool chx_part_arguments_stay(void)
{
    return part_arguments_stay;
}

void chx_part_take_starts(PartStarter starter)
{
    part_starter = starter;
}
