// plan.c: see plan.h.

#include "runtime/session/plan.h"

#include "runtime/actor/actor.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/session/registry.h"
#include "runtime/session/report.h"
#include "runtime/session/session.h"
#include "runtime/session/spread.h"

#include <string.h>

static chx_status cast_check(const chx_choreography *choreography, const chx_actor *actor, unsigned index,
                             const chx_role *role)
{
    const char *name = choreography->roles[index], *file = choreography->file;
    if (strcmp(role->choreography, choreography->name) != 0 || strcmp(role->role, name) != 0)
        return report_refuse(CHX_INVALID, name, file, "the cast gives %s to %s, which plays %s of %s", name, role->name,
                             role->role, role->choreography);
    if (role->version != CHX_GENERATED_VERSION || choreography->version != CHX_GENERATED_VERSION)
        return report_refuse(CHX_INVALID, name, file,
                             "%s was compiled for another version of the chorex library: rebuild", role->name);
    if (role->digest != choreography->digest || role->index != index)
        return report_refuse(CHX_INVALID, name, file,
                             "%s was compiled from another version of the choreography: rebuild", role->name);
    if (actor != NULL && actor->isolation != CHX_THREAD && actor->isolation != CHX_PROCESS)
        return report_refuse(CHX_INVALID, name, file, "the isolation of %s in the cast is none that exists", name);
    if (actor != NULL && actor->sandbox != NULL && actor->isolation != CHX_PROCESS)
        return report_refuse(
            CHX_INVALID, name, file,
            "%s has a sandbox in the cast, but no process of its own, which alone can be restricted: set "
            "isolation to CHX_PROCESS",
            name);
    return CHX_OK;
}

chx_status plan_cast(const chx_choreography *choreography, const chx_actor *cast, unsigned role, const chx_role **found)
{
    chx_status status = CHX_OK;
    *found = cast != NULL ? cast[role].role : NULL;
    if (*found == NULL)
        status = registry_find(choreography, role, found);
    return status == CHX_OK ? cast_check(choreography, cast != NULL ? &cast[role] : NULL, role, *found) : status;
}

static bool plan_fits(const Plan *plan, const chx_choreography *choreography, size_t definition, const chx_actor *cast)
{
    if (plan->choreography != choreography || plan->definition_index != definition ||
        plan->registered != registry_latest())
        return false;
    for (unsigned i = 0; i < plan->role_count; i++)
        if (plan->roles[i].asked != (cast != NULL ? cast[i].role : NULL))
            return false;
    return true;
}

static size_t align(size_t offset, size_t to)
{
    return (offset + to - 1) / to * to;
}

// Where the receiver looks for what this sender sends. Mostly that is behind the one before.
static size_t place_of(PlanRole *receiver, unsigned from)
{
    const chx_role *role = receiver->role;
    if (receiver->in_wired >= role->receives_from_count || role->receives_from[receiver->in_wired] != from) {
        receiver->in_wired = 0;
        while (receiver->in_wired < role->receives_from_count && role->receives_from[receiver->in_wired] != from)
            receiver->in_wired++;
    }
    return receiver->in_wired++;
}

// Wires each channel to the place where its receiver looks for it. False: the two
// sides were not made for each other.
static bool plan_wire(Plan *plan)
{
    size_t number = 0;
    for (unsigned from = 0; from < plan->role_count; from++) {
        const chx_role *role = plan->roles[from].role;
        for (size_t i = 0; i < role->sends_to_count; i++) {
            unsigned to = role->sends_to[i];
            if (to >= plan->role_count || to == from)
                return false;
            PlanRole *receiver = &plan->roles[to];
            size_t in = place_of(receiver, from);
            if (in >= receiver->role->receives_from_count)
                return false;
            plan->channel_table[number++] = (PlanChannel){from, to, receiver->in_first + in};
        }
    }
    // One sender for each place: no role waits for a message of somebody who never sends.
    return number == plan->in_count;
}

static void plan_fetch(Plan *plan, size_t from, size_t size)
{
    for (size_t line = from / CACHE_LINE; line <= (from + size - 1) / CACHE_LINE; line++)
        if (plan->fetched_count < PLAN_FETCHED_MAX)
            plan->fetched[plan->fetched_count++] = (uint32_t)(line * CACHE_LINE);
}

// Most of a session's memory is for what happens now and then: the beginning, the end, failures, deep calls.
static void plan_choose_fetched(Plan *plan)
{
    enum { CHANNEL = 384, FRAME = 160, SAVEPOINT = 288 };
    size_t stack_size = sizeof(Chunk) + STACK_FIRST_BYTES;
    plan_fetch(plan, 0, CACHE_LINE);
    plan_fetch(plan, offsetof(Session, apart), CACHE_LINE);
    for (unsigned i = 0; i < plan->role_count; i++) {
        plan_fetch(plan, plan->actors + i * sizeof(Actor), offsetof(Actor, savepoints) + sizeof(Ordinals));
        plan_fetch(plan, plan->stacks + i * stack_size, sizeof(Chunk) + FRAME);
    }
    for (size_t i = 0; i < plan->channel_count; i++)
        plan_fetch(plan, plan->channels + i * sizeof(Channel), CHANNEL);
    plan_fetch(plan, plan->ins, plan->counts - plan->ins);
    if (plan->checkpoint_count == 0)
        return;
    plan_fetch(plan, plan->checkpoints, sizeof(BlockPage) + BLOCK_USUAL_BYTES);
    for (unsigned i = 0; i < plan->role_count; i++) {
        size_t room = plan->checkpoints + BLOCK_ROOM_BYTES + i * SAVEPOINT_ROOM_BYTES;
        plan_fetch(plan, room, sizeof(Position *));
        plan_fetch(plan, room + SAVEPOINT_ROOM_BYTES - SAVEPOINT_CHUNK_BYTES, SAVEPOINT);
    }
}

void plan_lay_out(Plan *plan)
{
    plan->actors = align(sizeof(Session), CACHE_LINE);
    plan->channels = align(plan->actors + plan->role_count * sizeof(Actor), CACHE_LINE);
    plan->ins = plan->channels + plan->channel_count * sizeof(Channel);
    plan->pools = plan->ins + plan->in_count * sizeof(Channel *);
    plan->counts = plan->pools + plan->role_count * POOL_FIRST * sizeof(const struct chx_text *);
    plan->stacks = align(plan->counts + plan->count_count * sizeof(chx_count), 16);
    plan->results = align(plan->stacks + plan->role_count * (sizeof(Chunk) + STACK_FIRST_BYTES), CACHE_LINE);
    plan->size = align(plan->results + plan->definition->result_size, CACHE_LINE);
    if (plan->checkpoint_count != 0) {
        plan->checkpoints = plan->size;
        plan->size += BLOCK_ROOM_BYTES + plan->role_count * (size_t)SAVEPOINT_ROOM_BYTES;
    }
    if (plan->role_count <= PLAN_FETCHED_ROLES)
        plan_choose_fetched(plan);
}

static chx_status plan_fill(Plan *plan, const chx_actor *cast)
{
    const chx_choreography *choreography = plan->choreography;
    for (unsigned i = 0; i < plan->role_count; i++) {
        PlanRole *entry = &plan->roles[i];
        entry->asked = cast != NULL ? cast[i].role : NULL;
        chx_status status = plan_cast(choreography, cast, i, &entry->role);
        if (status != CHX_OK)
            return status;
        if (plan->definition_index >= entry->role->entry_count)
            return report_refuse(CHX_INVALID, choreography->roles[i], choreography->file, "%s does not play %s",
                                 entry->role->name, plan->definition->name);
        entry->entry = &entry->role->entries[plan->definition_index];
        entry->out_first = plan->channel_count;
        entry->in_first = plan->in_count;
        plan->channel_count += entry->role->sends_to_count;
        plan->in_count += entry->role->receives_from_count;
        entry->count_first = plan->count_count;
        plan->count_count += entry->role->counter_count;
        plan->checkpoint_count += entry->role->checkpoint_count;
    }
    for (size_t i = 0; i < plan->definition->result_count; i++)
        plan->roles[plan->definition->results[i].role].result = &plan->definition->results[i];
    return CHX_OK;
}

// Channels between members of families; 0: few, which may as well all be made ready at the beginning.
static size_t count_sparse(const Plan *plan)
{
    enum { FEW = 1024 };
    size_t count = 0;
    for (size_t i = 0; i < plan->channel_count; i++)
        count += spread_is_member(plan->choreography, plan->roles[plan->channel_table[i].from].role) &&
                 spread_is_member(plan->choreography, plan->roles[plan->channel_table[i].to].role);
    return count > FEW ? count : 0;
}

static void plan_free(chx_runtime *runtime, Plan *plan)
{
    if (plan->channel_table != NULL)
        runtime_release(runtime, plan->channel_table);
    runtime_release(runtime, plan);
}

static chx_status plan_new(chx_runtime *runtime, const chx_choreography *choreography, size_t definition,
                           const chx_actor *cast, Plan **made)
{
    if (definition >= choreography->definition_count)
        return report_refuse(CHX_INVALID, NULL, choreography->file, "%s has no definition %zu", choreography->name,
                             definition);
    size_t size = sizeof(Plan) + choreography->role_count * sizeof(PlanRole);
    Plan *plan = runtime_allocate(runtime, size);
    if (plan == NULL)
        return report_refuse(CHX_NO_MEMORY, NULL, choreography->file, "out of memory");
    memset(plan, 0, size);
    plan->choreography = choreography;
    plan->definition = &choreography->definitions[definition];
    plan->definition_index = definition;
    plan->registered = registry_latest();
    plan->role_count = (unsigned)choreography->role_count;
    chx_status status = plan_fill(plan, cast);
    if (status == CHX_OK) {
        plan->channel_table = runtime_allocate(runtime, (plan->channel_count + 1) * sizeof *plan->channel_table);
        if (plan->channel_table == NULL)
            status = report_refuse(CHX_NO_MEMORY, NULL, choreography->file, "out of memory");
        else if (!plan_wire(plan))
            status = report_refuse(CHX_INVALID, NULL, choreography->file,
                                   "internal error: the roles of %s don't fit together", choreography->name);
    }
    if (status != CHX_OK) {
        plan_free(runtime, plan);
        return status;
    }
    plan_lay_out(plan);
    if (choreography->spread != NULL)
        plan->sparse_count = count_sparse(plan);
    *made = plan;
    return CHX_OK;
}

// Sessions among hosts are libchorex-net's, which takes such casts before they come here.
static chx_status refuse_elsewhere(const chx_choreography *choreography, const chx_actor *cast, unsigned role)
{
    const char *name = choreography->roles[role];
    return report_refuse(CHX_INVALID, name, choreography->file,
                         "%s is to run at %s: link the program with `chorcc --libs=net`", name, cast[role].at);
}

chx_status plan_get(chx_runtime *runtime, const chx_choreography *choreography, size_t definition,
                    const chx_actor *cast, const Plan **plan)
{
    for (unsigned i = 0; cast != NULL && i < choreography->role_count; i++)
        if (cast[i].at != NULL)
            return refuse_elsewhere(choreography, cast, i);
    Plan **bucket = &runtime->plans[(((uintptr_t)choreography >> 4) + definition * 7) % PLAN_BUCKETS];
    pthread_mutex_lock(&runtime->plan_lock);
    Plan *found = *bucket;
    while (found != NULL && !plan_fits(found, choreography, definition, cast))
        found = found->next;
    chx_status status = CHX_OK;
    if (found == NULL) {
        status = plan_new(runtime, choreography, definition, cast, &found);
        if (status == CHX_OK) {
            found->next = *bucket;
            *bucket = found;
        }
    }
    pthread_mutex_unlock(&runtime->plan_lock);
    for (unsigned i = 0; status == CHX_OK && cast != NULL && i < found->role_count; i++)
        if (cast[i].isolation != CHX_THREAD || cast[i].sandbox != NULL)
            status = cast_check(choreography, &cast[i], i, found->roles[i].role);
    if (status == CHX_OK)
        *plan = found;
    return status;
}

void plan_free_all(chx_runtime *runtime)
{
    for (size_t i = 0; i < PLAN_BUCKETS; i++)
        for (Plan *plan = runtime->plans[i], *next; plan != NULL; plan = next) {
            next = plan->next;
            plan_free(runtime, plan);
        }
}
