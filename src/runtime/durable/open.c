// open.c: sessions that are kept in a store: started, gone on with, or over already. See durable.h.

#include "runtime/durable/durable.h"

#include "base/check.h"
#include "base/utf8.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/session/log.h"
#include "runtime/session/plan.h"
#include "runtime/session/registry.h"
#include "runtime/session/trace.h"
#include "runtime/value/codec.h"
#include "runtime/value/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const CutEffects durable_effects;
extern const StoreItemOps durable_item_ops;

typedef struct {
    chx_runtime *runtime;
    const chx_choreography *choreography;
    size_t definition;
    const chx_actor *cast;
    const void *arguments;
    chx_store *store;
    const char *name; // NULL: none
} Opening;

// ---- what the store has ----

// The piece of a level; NULL: it has none.
static const chx_store_piece *cut_piece(const chx_store_cut *cut, uint32_t level, uint32_t role)
{
    for (size_t i = 0; i < cut->piece_count; i++)
        if (cut->pieces[i].level == level && cut->pieces[i].role == role)
            return &cut->pieces[i];
    return NULL;
}

static const chx_block *block_named(const chx_choreography *choreography, uint32_t name)
{
    for (size_t i = 0; i < choreography->block_count; i++)
        if (choreography->blocks[i].name == name)
            return &choreography->blocks[i];
    return NULL;
}

// ---- loading ----

// The session can't be gone on with: says so and ends the loading.
static CHX_NORETURN void refuse_version(Durable *durable, const char *role, const char *why)
{
    durable->refused = report_refuse(CHX_INVALID, role, durable->session->plan->choreography->file,
                                     "session %.200s was saved by another version (state of %s: %s); finish it with "
                                     "that one, or: chorex sessions drop",
                                     durable->name, role, why);
    guard_raise(CHX_FAULT_SYSTEM, 0, 0, "it was saved by another version");
}

// The record of the block that all roles are in, as it is from now on.
static void block_resume(Recovery *recovery, Block *block, const CutEntry *entry, const chx_fault *fault)
{
    BlockFault *kept = recovery->effects->allocate(recovery->runtime, sizeof *kept + BLOCK_WHY_BYTES);
    if (kept == NULL)
        guard_no_memory();
    snprintf(kept->why, BLOCK_WHY_BYTES, "%s", fault->why);
    kept->fault = *fault;
    kept->fault.why = kept->why;
    block->attempt = entry->attempt;
    block->fault = kept;
    if (block->deadline != NULL && entry->attempt > entry->retries)
        recovery->effects->disarm(recovery, block);
}

// The role's name must outlive the session.
static const char *role_named(const chx_choreography *choreography, const char *name)
{
    for (size_t i = 0; i < choreography->role_count; i++)
        if (strcmp(choreography->roles[i], name) == 0)
            return choreography->roles[i];
    return "";
}

// Why the block at this level is not in its first attempt: what the store says, or, for the innermost one, the loss.
static void fault_of_level(const Durable *durable, size_t level, chx_fault *fault, char text[DURABLE_HEAD_BYTES])
{
    const chx_choreography *choreography = durable->session->plan->choreography;
    const chx_store_piece *piece = cut_piece(durable->from, (uint32_t)level, CHX_STORE_HEAD);
    DurableHead head;
    if (level < durable->cut.depth && head_read(piece->data, piece->size, &head, text)) {
        *fault = head.fault;
        fault->role = role_named(choreography, head.fault.role);
    } else {
        *fault = (chx_fault){.role = "", .kind = CHX_FAULT_LOST, .why = "the program was lost in this block"};
    }
    fault->file = choreography->file;
}

// Why the piece can't be loaded into the role; NULL: it may be.
static const char *piece_refusal(const Actor *actor, const chx_store_piece *piece)
{
    if (piece == NULL)
        return "a part of it is missing";
    if (snapshot_state_digest(piece->data, piece->size) != actor->role->state_digest)
        return "the role had other variables or steps then";
    return NULL;
}

// The role's frames up to the block at this level, and the number of the instance.
static const chx_checkpoint *load_frames(Durable *durable, Actor *actor, size_t level, uint32_t *ordinal)
{
    const chx_store_piece *piece = cut_piece(durable->from, (uint32_t)level, actor->index);
    const char *why = piece_refusal(actor, piece);
    const chx_checkpoint *checkpoint = NULL;
    if (why == NULL) {
        checkpoint = role_checkpoint(actor->role, snapshot_site(piece->data, piece->size));
        bool is_it = checkpoint != NULL && checkpoint->name == durable->cut.entries[level - 1].name;
        why = is_it ? snapshot_load(actor, checkpoint, piece->data, piece->size, ordinal)
                    : "it is of no block of the role";
    }
    if (why != NULL)
        refuse_version(durable, actor->role->role, why);
    return checkpoint;
}

// The record of the block; the first role that comes to it makes it what the store says.
static void find_record(Durable *durable, Block *parent, const chx_checkpoint *checkpoint, uint32_t ordinal,
                        size_t level)
{
    Recovery *recovery = &durable->session->recovery;
    const CutEntry *entry = &durable->cut.entries[level - 1];
    Block *block = recovery_find_block(recovery, parent, checkpoint, ordinal);
    if (block == NULL) {
        guard_raise(CHX_FAULT_SYSTEM, 0, 0, "%s", recovery->lacks);
    } else if (block->references == 0 && entry->attempt > 0) {
        chx_fault fault;
        char text[DURABLE_HEAD_BYTES];
        fault_of_level(durable, level, &fault, text);
        block_resume(recovery, block, entry, &fault);
    }
}

static void load_level(Durable *durable, Actor *actor, size_t level)
{
    uint32_t ordinal = 0;
    const chx_checkpoint *checkpoint = load_frames(durable, actor, level, &ordinal);
    Savepoint *outer = savepoint_top(actor);
    Block *parent = outer != NULL ? outer->position.block : NULL;
    savepoint_reserve(actor);
    uint32_t *count = savepoint_ordinal(actor, outer, checkpoint->name);
    find_record(durable, parent, checkpoint, ordinal, level);
    Savepoint *savepoint = savepoint_allocate_for(actor, actor->self.top, checkpoint);
    savepoint_save(actor, savepoint);
    recovery_enter(&durable->session->recovery, &savepoint->position, parent, checkpoint, ordinal, ATTEMPT_CURRENT);
    *count = ordinal + 1;
    savepoint_push(actor, savepoint);
}

static void load_base(Durable *durable, Actor *actor)
{
    const chx_store_piece *piece = cut_piece(durable->from, 0, actor->index);
    uint32_t ordinal;
    const char *why = piece_refusal(actor, piece);
    if (why == NULL)
        why = snapshot_load(actor, NULL, piece->data, piece->size, &ordinal);
    if (why != NULL)
        refuse_version(durable, actor->role->role, why);
}

void durable_load(Session *session, Actor *actor)
{
    Durable *durable = session->durable;
    durable->roles[actor->index].given = durable->cut.depth;
    if (durable->cut.depth == 0)
        load_base(durable, actor);
    for (size_t level = 1; level <= durable->cut.depth; level++)
        load_level(durable, actor, level);
    const Savepoint *savepoint = savepoint_top(actor);
    if (savepoint == NULL)
        return;
    savepoint->frame->at = position_label(&savepoint->position);
    actor->self.site = savepoint->position.checkpoint->site; // until its first step
}

const void *durable_piece(const Actor *actor, size_t level, size_t *size)
{
    const chx_store_piece *piece = cut_piece(actor->session->durable->from, (uint32_t)level, actor->index);
    *size = piece->size;
    return piece->data;
}

void durable_take_arguments(Session *session)
{
    Durable *durable = session->durable;
    for (unsigned i = 0; i < session->actor_count; i++) {
        Actor *actor = &session->actors[i];
        const char *pointer = snapshot_unsendable(actor->self.top);
        current()->actor = actor;
        if (pointer != NULL) {
            durable->refused =
                report_refuse(CHX_INVALID, actor->role->role, session->plan->choreography->file,
                              "%s: its argument '%s' is a pointer or has one in it, and what that points to is not in "
                              "the store: give it the value itself",
                              actor->role->role, pointer);
            guard_raise(CHX_FAULT_SYSTEM, 0, 0, "an argument is a pointer");
        }
        snapshot_save_outside(actor, &durable->roles[i].piece);
        if (durable->roles[i].piece.failed)
            guard_no_memory();
    }
}

// ---- making ----

static Durable *durable_new(const Opening *opening, const char *name, StoreName *claim)
{
    unsigned roles = (unsigned)opening->choreography->role_count;
    Durable *durable = calloc(1, sizeof *durable + roles * sizeof *durable->roles);
    if (durable == NULL) {
        store_name_release(claim);
        return NULL;
    }
    durable->item.ops = &durable_item_ops;
    durable->store = opening->store;
    durable->claim = claim;
    durable->is_unnamed = opening->name == NULL;
    durable->role_count = roles;
    cut_init(&durable->cut, &durable_effects, roles);
    durable->name = strdup(name);
    durable->sent = calloc(roles + 1, sizeof *durable->sent);
    durable->key = (chx_store_key){opening->choreography->name, "", durable->name};
    if (durable->name != NULL && durable->sent != NULL)
        return durable;
    durable_free(durable);
    return NULL;
}

void durable_attach(Session *session)
{
    Durable *durable = session->durable;
    durable->session = session;
    durable->item.runtime = session->runtime;
    if (durable->from == NULL)
        return;
    session->token[0] = durable->from->token[0];
    session->token[1] = durable->from->token[1];
}

// The entries that the store has, and what the loss has made of them. False: they can't be understood.
static bool entries_load(Durable *durable, const Opening *opening, uint64_t term)
{
    const chx_store_cut *from = durable->from;
    size_t depth = 0;
    for (;; depth++) {
        const chx_store_piece *piece = cut_piece(from, (uint32_t)depth + 1, CHX_STORE_HEAD);
        DurableHead head;
        char text[DURABLE_HEAD_BYTES];
        if (piece == NULL)
            break;
        const chx_block *block =
            head_read(piece->data, piece->size, &head, text) ? block_named(opening->choreography, head.block) : NULL;
        durable->cut.depth = depth;
        if (block == NULL || !cut_reserve(&durable->cut))
            return false;
        durable->cut.entries[depth] = (CutEntry){.name = head.block,
                                                 .ordinal = head.ordinal,
                                                 .attempt = head.attempt,
                                                 .retries = block->retries,
                                                 .has_rescue = block->has_rescue,
                                                 .is_round = block->is_round};
    }
    durable->resumed = cut_resume(&durable->cut, term, from->version, depth);
    return true;
}

// Its roles are made. On failure the thread's report says why.
static chx_status session_of_store(const Opening *opening, Durable *durable, Session **session)
{
    const Plan *plan;
    chx_status status = plan_get(opening->runtime, opening->choreography, opening->definition, opening->cast, &plan);
    if (status == CHX_OK && !session_has_workers(opening->runtime, opening->choreography))
        status = CHX_NO_MEMORY;
    if (status != CHX_OK) {
        durable_free(durable);
        return status;
    }
    return session_make(opening->runtime, plan, opening->cast, opening->arguments, &(SessionKind){.durable = durable},
                        session);
}

static chx_status out_of_memory(const Opening *opening)
{
    return report_refuse(CHX_NO_MEMORY, NULL, opening->choreography->file, "out of memory");
}

static chx_status open_new(const Opening *opening, Durable *durable, Session **session)
{
    chx_status status = session_of_store(opening, durable, session);
    if (status != CHX_OK)
        return status;
    cut_begin(&durable->cut, 1);
    return CHX_OK;
}

// No block has an attempt left.
static void fail_as_lost(Session *session)
{
    Fault fault = {.kind = CHX_FAULT_LOST};
    snprintf(fault.why, sizeof fault.why, "the program was lost in a durable block, which has no attempt left");
    session_fail(session, CHX_FAILED, "", &fault, session->plan->choreography->file, 0);
}

// ---- versions of a role ----

// The digest of what the store has of the role; 0: nothing.
static uint64_t state_of_role(const chx_store_cut *cut, uint32_t role)
{
    for (size_t i = 0; i < cut->piece_count; i++)
        if (cut->pieces[i].role == role && cut->pieces[i].level != CHX_STORE_RESULTS)
            return snapshot_state_digest(cut->pieces[i].data, cut->pieces[i].size);
    return 0;
}

// A role that the cast does not name is played by the implementation that has saved it, if that is linked into the program under another
// name: an old version, beside the one for new sessions. NULL: no memory.
static chx_actor *cast_of_store(const Opening *opening, const chx_store_cut *cut)
{
    const chx_choreography *choreography = opening->choreography;
    chx_actor *cast = calloc(choreography->role_count, sizeof *cast);
    for (unsigned i = 0; cast != NULL && i < choreography->role_count; i++) {
        const chx_role *role;
        uint64_t state = state_of_role(cut, i);
        if (opening->cast != NULL)
            cast[i] = opening->cast[i];
        bool is_found = cast[i].role == NULL && registry_find(choreography, i, &role) == CHX_OK;
        if (state != 0 && cast[i].role == NULL && (!is_found || role->state_digest != state))
            cast[i].role = registry_of_state(choreography->name, choreography->roles[i], state);
    }
    return cast;
}

// Is it a session of another definition? Then the thread's report says so.
static bool refuse_definition(const Opening *opening, const char *name, const chx_store_cut *cut)
{
    const chx_choreography *choreography = opening->choreography;
    const char *definition = choreography->definitions[opening->definition].name;
    bool is_other = strcmp(cut->definition, definition) != 0;
    if (is_other)
        report_refuse(CHX_INVALID, NULL, choreography->file, "session %.200s is one of '%.100s', not of '%s'", name,
                      cut->definition, definition);
    return is_other;
}

// A role in a process says it by itself.
static void trace_resumed(Session *session)
{
    for (unsigned i = 0; i < session->actor_count; i++)
        if (session->actors[i].proxy == NULL && session->actors[i].member.count > 0)
            trace_block(&session->actors[i], EVENT_RESTART, 0, "the program was lost in this block");
}

static chx_status open_again(const Opening *opening, Durable *durable, const chx_store_cut *cut, uint64_t term,
                             Session **session)
{
    const chx_choreography *choreography = opening->choreography;
    if (refuse_definition(opening, durable->name, cut)) {
        durable_free(durable);
        return CHX_INVALID;
    }
    durable->from = cut;
    if (cut->protocol_digest != choreography->protocol_digest || !entries_load(durable, opening, term)) {
        report_refuse(CHX_INVALID, NULL, choreography->file,
                      "session %.200s was saved by another version (the choreography %s has changed); finish it with "
                      "that one, or: chorex sessions drop",
                      durable->name, choreography->name);
        durable_free(durable);
        return CHX_INVALID;
    }
    CutResumed resumed = durable->resumed;
    chx_actor *cast = cast_of_store(opening, cut);
    if (cast == NULL) {
        durable_free(durable);
        return out_of_memory(opening);
    }
    Opening with_cast = *opening;
    with_cast.cast = cast;
    chx_status status = session_of_store(&with_cast, durable, session);
    free(cast);
    if (status != CHX_OK)
        return status;
    durable->from = NULL;
    trace_resumed(*session);
    log_write(opening->runtime, CHX_LOG_INFO, "%s: session %s goes on", choreography->name, durable->name);
    if (resumed == CUT_NONE_LEFT)
        fail_as_lost(*session);
    // The roles begin another attempt when the store knows of it.
    if (resumed == CUT_NEXT_ATTEMPT) {
        cut_go_on(&durable->cut);
        return CHX_OK;
    }
    durable->has_begun = true;
    session_begin_roles(*session);
    return CHX_OK;
}

// ---- sessions that are over ----

static bool results_load(const Opening *opening, const chx_store_cut *cut, unsigned char *results)
{
    const chx_definition *definition = &opening->choreography->definitions[opening->definition];
    for (size_t i = 0; i < definition->result_count; i++) {
        const chx_result_slot *slot = &definition->results[i];
        const chx_store_piece *piece = cut_piece(cut, CHX_STORE_RESULTS, slot->role);
        if (piece != NULL && chx_decode(slot->type, results + slot->offset, piece->data, piece->size))
            continue;
        for (; i > 0; i--)
            chx_value_drop(definition->results[i - 1].type, results + definition->results[i - 1].offset);
        return false;
    }
    return true;
}

// The thread's report is that of the session.
static void report_again(const Opening *opening, const chx_report *report)
{
    Fault fault = {.kind = report->kind, .signal = report->signal};
    snprintf(fault.why, sizeof fault.why, "%s", report->why);
    report_fault(report_last(), role_named(opening->choreography, report->role), &fault, opening->choreography->file,
                 report->line, report->restarts);
}

static chx_status open_over(const Opening *opening, const char *name, const chx_store_cut *cut, Session **session)
{
    const chx_choreography *choreography = opening->choreography;
    const chx_definition *definition = &choreography->definitions[opening->definition];
    const chx_store_piece *piece = cut_piece(cut, CHX_STORE_RESULTS, CHX_STORE_HEAD);
    chx_status status;
    chx_report report;
    char text[DURABLE_HEAD_BYTES];
    if (refuse_definition(opening, name, cut))
        return CHX_INVALID;
    unsigned char *results = calloc(1, definition->result_size + 1);
    if (results == NULL)
        return out_of_memory(opening);
    bool is_known = piece != NULL && outcome_read(piece->data, piece->size, &status, &report, text) &&
                    (status != CHX_OK || results_load(opening, cut, results));
    if (!is_known) {
        free(results);
        return report_refuse(CHX_INVALID, NULL, choreography->file,
                             "session %.200s is over, but what it returned was saved by another version; chorex "
                             "sessions drop removes it",
                             name);
    }
    if (status == CHX_OK)
        report_clear(report_last());
    else
        report_again(opening, &report);
    *session = session_new_ended(opening->runtime, choreography, definition, status, results);
    free(results);
    return *session != NULL ? CHX_OK : out_of_memory(opening);
}

// ---- opening ----

static chx_status open_found(const Opening *opening, Durable *durable, Session **session)
{
    char why[CHX_STORE_WHY];
    chx_store_cut cut = {0};
    uint64_t term = 0;
    chx_status status;
    StoreFound found =
        opening->name == NULL ? STORE_IS_NEW : store_find(opening->store, &durable->key, &cut, &term, why);
    const char *file = opening->choreography->file;
    switch (found) {
    case STORE_IS_NEW:
        return open_new(opening, durable, session);
    case STORE_IS_OURS:
        status = open_again(opening, durable, &cut, term, session);
        break;
    case STORE_IS_OVER:
        status = open_over(opening, durable->name, &cut, session);
        durable_free(durable);
        break;
    case STORE_IS_TAKEN:
        status = report_refuse(CHX_INVALID, NULL, file, "session %.200s can't be opened: %.200s", durable->name, why);
        durable_free(durable);
        return status;
    default:
        status = report_refuse(CHX_FAILED, NULL, file, "session %.200s can't be opened, the store says: %.200s",
                               durable->name, why);
        durable_free(durable);
        return status;
    }
    store_release(opening->store, &cut);
    return status;
}

static chx_status open_claimed(const Opening *opening, const char *name, Session **session)
{
    bool lacks_memory;
    chx_store_key key = {opening->choreography->name, "", name};
    StoreName *claim = store_name_claim(opening->store, &key, &lacks_memory);
    if (claim == NULL && !lacks_memory)
        return report_refuse(CHX_INVALID, NULL, opening->choreography->file,
                             "session %.200s is open in this program already", name);
    Durable *durable = claim != NULL ? durable_new(opening, name, claim) : NULL;
    return durable != NULL ? open_found(opening, durable, session) : out_of_memory(opening);
}

// What no store could keep: the name would stand in the way of other sessions' changes.
static bool refuse_name(const chx_choreography *choreography, const char *name)
{
    enum { NAME_MAX_BYTES = 1000 };
    bool is_long = strlen(name) > NAME_MAX_BYTES;
    if (is_long)
        report_refuse(CHX_INVALID, NULL, choreography->file,
                      "the name of session %.40s... is too long: %d bytes at most", name, NAME_MAX_BYTES);
    else if (!utf8_is_valid(name))
        report_refuse(CHX_INVALID, NULL, choreography->file,
                      "the name of a session has to be UTF-8, which this is not");
    return is_long || !utf8_is_valid(name);
}

chx_status durable_open(chx_runtime *runtime, const chx_choreography *choreography, size_t definition, const char *name,
                        const chx_actor *cast, const void *arguments, Session **session)
{
    Opening opening = {runtime, choreography, definition, cast, arguments, NULL, name};
    char generated[64];
    uint64_t random[2];
    *session = NULL;
    if (definition >= choreography->definition_count)
        return report_refuse(CHX_INVALID, NULL, choreography->file, "there is no such definition");
    if (name != NULL && refuse_name(choreography, name))
        return CHX_INVALID;
    chx_status status = store_of_runtime(runtime, choreography->file, &opening.store);
    if (status != CHX_OK)
        return status;
    report_last();
    if (opening.store == NULL)
        return session_new_plain(runtime, choreography, definition, cast, arguments, session);
    if (name == NULL) {
        runtime->platform->random(random, sizeof random);
        snprintf(generated, sizeof generated, "unnamed-%016" PRIx64 "%016" PRIx64, random[0], random[1]);
    }
    status = open_claimed(&opening, name != NULL ? name : generated, session);
    if (status == CHX_OK && chx_session_report(*session) == NULL)
        report_clear(report_last());
    return status;
}
