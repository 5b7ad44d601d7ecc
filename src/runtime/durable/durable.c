// durable.c: a session that is kept in a store, while it runs. See durable.h.

#include "runtime/durable/durable.h"

#include "base/check.h"
#include "runtime/actor/elsewhere.h"
#include "runtime/recovery/checkpoint.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/session/log.h"
#include "runtime/value/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Durable *durable_of_item(StoreItem *item)
{
    return (Durable *)(void *)item; // its first member
}

static Durable *durable_of_cut(Cut *cut)
{
    return (Durable *)(void *)((char *)cut - offsetof(Durable, cut));
}

// ---- what the machine asks for ----

static void effect_commit(Cut *cut)
{
    Durable *durable = durable_of_cut(cut);
    store_ask(durable->store, &durable->item);
}

static Block *block_at(const Durable *durable, size_t level);

// The time of an attempt runs from the moment at which the roles are let in: they can't help it if the store is slow. If some of them are
// still busy with the attempt before, it runs from the moment at which the last one is back (recovery_return). It runs once: what is
// committed later in the attempt, for a block inside of it, does not begin it again.
static void durable_start_time(Durable *durable)
{
    Recovery *recovery = &durable->session->recovery;
    CutEntry *entry = durable->cut.depth > 0 ? &durable->cut.entries[durable->cut.depth - 1] : NULL;
    if (entry == NULL || entry->has_begun)
        return;
    entry->has_begun = true;
    Block *block = block_at(durable, durable->cut.depth);
    if (block == NULL || block->checkpoint->within_ns == 0 || block->attempt > block->checkpoint->retries ||
        block->behind > 0)
        return;
    if (block->deadline != NULL)
        recovery->effects->disarm(recovery, block);
    recovery->effects->arm(recovery, block);
}

bool durable_stops_time(const Session *session, const Block *block)
{
    const Durable *durable = session->durable;
    return durable != NULL && block->checkpoint->is_durable &&
           !cut_lets_in(&durable->cut, block->depth, block->ordinal, block->attempt);
}

// By the committer, with the blocks locked.
static void effect_settled(Cut *cut)
{
    Durable *durable = durable_of_cut(cut);
    Session *session = durable->session;
    durable_start_time(durable);
    // In this order: a role looks at the number after having said that it waits.
    atomic_fetch_add(&durable->changes, 1);
    for (unsigned i = 0; durable->has_begun && i < session->actor_count; i++) {
        Actor *actor = &session->actors[i];
        if (actor->proxy != NULL)
            actor->proxy->ops->settle(actor->proxy);
        else if (actor_wake(actor, durable))
            scheduler_ready(&session->runtime->scheduler, actor);
    }
}

static void effect_over(Cut *cut)
{
    durable_of_cut(cut)->is_over = true;
}

static void effect_lost(Cut *cut)
{
    durable_of_cut(cut)->is_lost = true;
}

const CutEffects durable_effects = {effect_commit, effect_settled, effect_over, effect_lost};

// ---- commits ----

static void put_piece(chx_store_change *change, Durable *durable, uint32_t level, uint32_t role, const void *data,
                      size_t size)
{
    durable->pieces[change->piece_count++] = (chx_store_piece){level, role, data, size};
}

// What a role has given goes with the commit.
static void put_given(chx_store_change *change, Durable *durable, uint32_t level, unsigned role)
{
    chx_buffer_free(&durable->sent[role]);
    durable->sent[role] = durable->roles[role].piece;
    durable->roles[role].piece = (chx_buffer){0};
    put_piece(change, durable, level, role, durable->sent[role].data, durable->sent[role].size);
}

// The record of the durable block at this level, counted from 1. NULL: it is gone.
static Block *block_at(const Durable *durable, size_t level)
{
    Block *block = NULL, *among = durable->session->recovery.blocks;
    for (size_t i = 0; i < level; i++) {
        const CutEntry *entry = &durable->cut.entries[i];
        for (block = among; block != NULL; block = block->next)
            if (block->checkpoint->name == entry->name && block->ordinal == entry->ordinal && !block->done)
                break;
        if (block == NULL)
            return NULL;
        among = block->children;
    }
    return block;
}

static void put_head(chx_store_change *change, Durable *durable, uint32_t level)
{
    const CutEntry *entry = &durable->cut.entries[level - 1];
    const Block *block = block_at(durable, level);
    DurableHead head = {
        .block = entry->name, .ordinal = entry->ordinal, .attempt = entry->attempt, .fault = {.kind = CHX_FAULT_NONE}};
    if (entry->attempt > 0 && block != NULL && block->fault != NULL)
        head.fault = block->fault->fault;
    unsigned char *bytes = durable->heads[level - 1];
    put_piece(change, durable, level, CHX_STORE_HEAD, bytes, head_write(&head, bytes));
}

static void put_outcome(chx_store_change *change, Durable *durable)
{
    const chx_definition *definition = durable->session->definition;
    unsigned outcome = durable->role_count;
    put_piece(change, durable, CHX_STORE_RESULTS, CHX_STORE_HEAD, durable->sent[outcome].data,
              durable->sent[outcome].size);
    for (size_t i = 0; i < definition->result_count; i++)
        put_given(change, durable, CHX_STORE_RESULTS, definition->results[i].role);
}

// With the blocks locked. False: no memory.
static bool commit_reserve(Durable *durable)
{
    size_t levels = durable->cut.depth + 1;
    void *pieces = realloc(durable->pieces, (2 * durable->role_count + levels + 1) * sizeof *durable->pieces);
    if (pieces == NULL)
        return false;
    durable->pieces = pieces;
    void *heads = realloc(durable->heads, levels * sizeof *durable->heads);
    if (heads == NULL)
        return false;
    durable->heads = heads;
    return true;
}

// Many sessions may wait for long between two commits.
static void commit_forget(Durable *durable)
{
    for (unsigned i = 0; i < durable->role_count; i++)
        chx_buffer_free(&durable->sent[i]);
    free(durable->pieces);
    free(durable->heads);
    durable->pieces = NULL;
    durable->heads = NULL;
}

static void change_fill(chx_store_change *change, Durable *durable, const CutChange *about)
{
    const Session *session = durable->session;
    *change = (chx_store_change){.key = durable->key,
                                 .term = about->term,
                                 .version = about->version,
                                 .token = {session->token[0], session->token[1]},
                                 .definition = session->definition->name,
                                 .protocol_digest = session->plan->choreography->protocol_digest,
                                 .home = store_home(durable->store),
                                 .outcome = about->is_over ? CHX_STORE_OVER : CHX_STORE_UNFINISHED,
                                 .drops = about->drops,
                                 .drop_from = about->drop_from,
                                 .pieces = durable->pieces};
    for (unsigned i = 0; about->pieces_level != CUT_NO_LEVEL && i < durable->role_count; i++)
        put_given(change, durable, (uint32_t)about->pieces_level, i);
    for (uint32_t level = about->head_from; level <= about->levels; level++)
        put_head(change, durable, level);
    if (about->is_over)
        put_outcome(change, durable);
}

static StoreBuilt commit_build(StoreItem *item, chx_store_change *change)
{
    Durable *durable = durable_of_item(item);
    CutChange about;
    blocks_lock_outside(durable->session);
    bool has_memory = commit_reserve(durable);
    bool is_some = has_memory && cut_take(&durable->cut, &about);
    if (is_some)
        change_fill(change, durable, &about);
    blocks_unlock_outside(durable->session);
    return !has_memory ? STORE_NO_MEMORY : is_some ? STORE_BUILT : STORE_NOTHING;
}

// The session is not this program's, or not in the store.
static void durable_fail(Durable *durable, chx_status status, const char *format, const char *detail)
{
    Session *session = durable->session;
    Fault fault = {.kind = CHX_FAULT_LOST};
    snprintf(fault.why, sizeof fault.why, format, durable->name, detail);
    session_fail(session, status, "", &fault, session->plan->choreography->file, 0);
}

// What the machine has said is done, with the blocks not locked. `has_joined`: the session does not end meanwhile; otherwise no role of it
// runs any more, and it ends here.
static void commit_follow(Durable *durable, bool begins, bool has_joined)
{
    Session *session = durable->session;
    bool ends = durable->is_over || durable->is_lost;
    if (begins)
        session_begin_roles(session);
    if (has_joined)
        session_leave(session);
    else if (ends)
        session_end(session);
}

// With the blocks locked: do its roles begin now?
static bool commit_begins(Durable *durable)
{
    bool begins = !durable->has_begun && !durable->is_over;
    durable->has_begun |= begins;
    if (!durable->cut.is_on_its_way)
        commit_forget(durable);
    return begins;
}

static void commit_done(StoreItem *item, bool is_applied)
{
    Durable *durable = durable_of_item(item);
    Session *session = durable->session;
    bool has_joined = session_join(session);
    blocks_lock_outside(session);
    bool is_new = durable->cut.version == 0;
    if (is_applied)
        cut_committed(&durable->cut);
    else
        cut_stale(&durable->cut);
    bool begins = commit_begins(durable), is_lost = durable->is_lost;
    blocks_unlock_outside(session);
    if (is_lost && has_joined && is_new)
        durable_fail(durable, CHX_INVALID, "session %.200s can't be opened: another program has just opened it%s", "");
    else if (is_lost && has_joined)
        durable_fail(durable, CHX_FAILED, "session %.200s was taken over by another program%s", "");
    commit_follow(durable, begins, has_joined);
}

// A session that is not in the store yet can be refused, and nothing is lost. Whoever cancels a session wants to be rid of it.
static bool commit_give_up(StoreItem *item, bool is_in_doubt, const char *why)
{
    Durable *durable = durable_of_item(item);
    Session *session = durable->session;
    bool has_joined = session_join(session), begins = false;
    blocks_lock_outside(session);
    bool is_new = durable->cut.version == 0, was_asked_to = atomic_load(&session->ending.status) == CHX_CANCELLED;
    bool gives_up = is_new || (was_asked_to && durable->cut.state == CUT_ENDS);
    if (gives_up) {
        cut_give_up(&durable->cut);
        begins = commit_begins(durable);
    }
    blocks_unlock_outside(session);
    if (gives_up && is_new && has_joined)
        durable_fail(durable, CHX_FAILED,
                     is_in_doubt ? "it is not known whether session %.100s is in the store, which says: %.300s"
                                 : "session %.100s can't be begun, the store says: %.300s",
                     why);
    else if (gives_up && !has_joined)
        log_write(
            session->runtime, CHX_LOG_ERROR,
            "session %s is cancelled, but the store can't be told, and says: %s; it goes on when it is opened again",
            durable->name, why);
    if (gives_up || has_joined)
        commit_follow(durable, begins, has_joined);
    return gives_up;
}

const StoreItemOps durable_item_ops = {commit_build, commit_done, commit_give_up};

// ---- blocks ----

bool durable_enter(Actor *actor, const Block *block)
{
    Durable *durable = actor->session->durable;
    DurableRole *role = durable_role(actor);
    const chx_checkpoint *checkpoint = block->checkpoint;
    CutEntry entry = {.name = checkpoint->name,
                      .ordinal = block->ordinal,
                      .attempt = block->attempt,
                      .retries = checkpoint->retries,
                      .has_rescue = checkpoint->rescue_at != 0,
                      .is_round = checkpoint->is_round};
    if (!cut_enter(&durable->cut, block->depth, &entry))
        return false;
    role->given = block->depth + 1;
    return true;
}

bool durable_lets_in(const Actor *actor, const Position *position)
{
    Durable *durable = actor->session->durable;
    return cut_lets_in(&durable->cut, position->block->depth, position->ordinal, position->attempt);
}

void durable_leave(Session *session, uint32_t depth, bool renews)
{
    Durable *durable = session->durable;
    for (unsigned i = 0; !renews && i < session->actor_count; i++)
        durable->roles[i].given = depth;
    if (renews)
        cut_renew(&durable->cut, depth);
    else
        cut_leave(&durable->cut, depth);
}

void durable_decide(Session *session, const Block *block)
{
    Durable *durable = session->durable;
    cut_decide(&durable->cut, block->depth, block->attempt);
}

void durable_go_back(Actor *actor, size_t depth)
{
    DurableRole *role = durable_role(actor);
    role->is_entering = true;
    if (role->given > depth + 1)
        role->given = depth + 1;
}

void durable_wait(Actor *actor)
{
    Durable *durable = actor->session->durable;
    durable_role(actor)->seen = atomic_load(&durable->changes);
    actor->self.wants = (uintptr_t)durable | WANTS_BLOCK;
}

// ---- the end ----

// What the roles return, and how it ended.
static void results_encode(Durable *durable)
{
    Session *session = durable->session;
    const chx_definition *definition = session->definition;
    chx_status status = (chx_status)atomic_load(&session->ending.status);
    chx_buffer *outcome = &durable->sent[durable->role_count];
    buffer_restart(outcome);
    for (size_t i = 0; i < definition->result_count; i++) {
        const chx_result_slot *slot = &definition->results[i];
        chx_buffer *piece = &durable->roles[slot->role].piece;
        Fault fault = {.kind = CHX_FAULT_NONE, .why = "out of memory"};
        buffer_restart(piece);
        if (status != CHX_OK || value_encode(slot->type, session->results + slot->offset, piece, &fault))
            continue;
        session_fail(session, CHX_FAILED, session->actors[slot->role].role->role, &fault,
                     session->plan->choreography->file, 0);
        status = CHX_FAILED;
    }
    outcome_write(outcome, status, &session->report.report);
}

void durable_end(Session *session)
{
    Durable *durable = session->durable;
    if (durable->cut.state == CUT_LOST) {
        session_end(session);
        return;
    }
    results_encode(durable);
    blocks_lock_outside(session);
    cut_end(&durable->cut);
    blocks_unlock_outside(session);
}

void durable_ended(Session *session)
{
    store_name_release(session->durable->claim);
    session->durable->claim = NULL;
}

void durable_free(Durable *durable)
{
    if (durable->is_unnamed && durable->cut.state == CUT_OVER)
        store_forget(durable->store, &durable->key);
    store_name_release(durable->claim);
    cut_fini(&durable->cut);
    for (unsigned i = 0; i < durable->role_count; i++)
        chx_buffer_free(&durable->roles[i].piece);
    for (unsigned i = 0; durable->sent != NULL && i <= durable->role_count; i++)
        chx_buffer_free(&durable->sent[i]);
    free(durable->sent);
    free(durable->pieces);
    free(durable->heads);
    free(durable->name);
    free(durable);
}
