// gate.c: how roles of this program enter and leave durable blocks: as every block, except that they go on only when the store has
// what they go on from.
//
// A role that enters pushes its savepoint and gives what it holds. It asks to be let in, again and again, at the place where it
// entered; a role that is rolled back to the block asks there, too, so that no attempt begins before the store knows of it.

#include "base/check.h"
#include "runtime/actor/elsewhere.h"
#include "runtime/actor/observe.h"
#include "runtime/durable/durable.h"
#include "runtime/recovery/checkpoint.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/session/trace.h"
#include "runtime/value/codec.h"
#include "runtime/value/snapshot.h"

// ---- what a role gives ----

static void give_entry(Actor *actor)
{
    chx_buffer *piece = &durable_role(actor)->piece;
    const Savepoint *parent = actor->member.count > 1 ? savepoint_at(actor, actor->member.count - 2) : NULL;
    buffer_restart(piece);
    snapshot_save(actor, parent != NULL ? parent->frame : NULL, piece);
    if (piece->failed)
        guard_no_memory();
}

// At the end of the outermost block: as if the role had left it.
static void give_base(Actor *actor)
{
    chx_buffer *piece = &durable_role(actor)->piece;
    buffer_restart(piece);
    snapshot_save_outside(actor, piece);
    if (piece->failed)
        guard_no_memory();
}

// At the end of a round: as if the next one had been entered.
static void give_round(Actor *actor, Savepoint *savepoint)
{
    savepoint->position.ordinal++;
    savepoint_count_round(actor, savepoint);
    give_entry(actor);
    savepoint->position.ordinal--;
    savepoint_count_round(actor, savepoint);
}

// ---- entering ----

// The role is in the block. The label to go on at; 0: not yet.
static uint32_t enter_asks(Actor *actor)
{
    Session *session = actor->session;
    DurableRole *role = durable_role(actor);
    const Position *position = &savepoint_top(actor)->position;
    uint32_t at = 0;
    bool is_wrong = false, lacks_memory = false;
    size_t depth = actor->member.count - 1;
    if (role->given <= depth)
        give_entry(actor);
    blocks_lock_role(session);
    actor->self.wants = 0;
    if (!checkpoint_must_look(actor)) {
        lacks_memory = !cut_reserve(&((Durable *)session->durable)->cut);
        if (!lacks_memory && role->given <= depth)
            is_wrong = !durable_enter(actor, position->block);
        if (durable_lets_in(actor, position))
            at = position_label(position);
        else
            durable_wait(actor);
    }
    blocks_unlock_role(session);
    CHECK(!is_wrong);
    if (lacks_memory)
        guard_no_memory();
    if (at != 0)
        role->is_entering = false;
    return at;
}

uint32_t chx_enter_durable(chx_self *self, chx_frame *frame, const chx_checkpoint *checkpoint)
{
    Actor *actor = (Actor *)self;
    if (actor->away != NULL)
        return actor->away->ops->enter(actor, frame, checkpoint);
    if (actor->session->durable == NULL)
        return chx_enter(self, frame, checkpoint);
    DurableRole *role = durable_role(actor);
    if (!role->is_entering) {
        if (chx_enter(self, frame, checkpoint) == 0)
            return 0;
        role->is_entering = true;
    }
    return enter_asks(actor);
}

// ---- leaving ----

// At the end of the current attempt, with the blocks locked: arrives, and looks whether all have and the store knows.
static bool leave_meets(Actor *actor, Position *position)
{
    Session *session = actor->session;
    Block *block = position->block;
    if (!position->arrived) {
        // Not quickly for all at once, even if the session is pinned: they wait for the store.
        bool is_exclusive = session->recovery.is_exclusive;
        bool is_last = block->arrived + 1 == block->checkpoint->participant_count;
        session->recovery.is_exclusive = false;
        recovery_arrive(&session->recovery, position, false);
        session->recovery.is_exclusive = is_exclusive;
        if (is_last)
            durable_leave(session, block->depth, false);
    }
    if (!atomic_load(&block->done) || !cut_lets_go(&((Durable *)session->durable)->cut)) {
        durable_wait(actor);
        return false;
    }
    position->is_done = true;
    recovery_leave(&session->recovery, position, true);
    return true;
}

static bool leave_durable(Actor *actor, const chx_checkpoint *checkpoint)
{
    Session *session = actor->session;
    Savepoint *savepoint = savepoint_top(actor);
    // It goes on from here after a loss.
    if (savepoint == NULL)
        return true;
    CHECK(savepoint->position.checkpoint == checkpoint);
    bool arrives = !savepoint->position.arrived, is_through = false;
    if (arrives && actor->self.observed != 0)
        observe_edge(actor, checkpoint);
    if (arrives && actor->member.count == 1)
        give_base(actor);
    blocks_lock_role(session);
    actor->self.wants = 0;
    bool goes_on = !checkpoint_must_look(actor);
    if (goes_on)
        is_through = leave_meets(actor, &savepoint->position);
    blocks_unlock_role(session);
    if (actor->self.observed != 0 && arrives && goes_on)
        trace_block(actor, EVENT_ARRIVE, 0, NULL);
    if (!is_through)
        return false;
    if (actor->self.observed != 0)
        trace_block(actor, EVENT_LEAVE, 0, NULL);
    savepoint_pop(actor);
    return true;
}

bool chx_leave_durable(chx_self *self, const chx_checkpoint *checkpoint)
{
    Actor *actor = (Actor *)self;
    if (actor->away != NULL)
        return actor->away->ops->leave(actor, checkpoint);
    if (actor->session->durable == NULL)
        return chx_leave(self, checkpoint);
    return leave_durable(actor, checkpoint);
}

// ---- rounds ----

// As leave_meets. False: the deadline of the next round could not be set.
static bool renew_meets(Actor *actor, Position *position, bool *is_through)
{
    Session *session = actor->session;
    Block *block = position->block;
    if (!position->arrived) {
        bool is_exclusive = session->recovery.is_exclusive;
        bool is_last = block->arrived + 1 == block->checkpoint->participant_count;
        session->recovery.is_exclusive = false;
        bool is_armed = recovery_arrive(&session->recovery, position, true);
        session->recovery.is_exclusive = is_exclusive;
        if (!is_armed)
            return false;
        if (is_last)
            durable_leave(session, block->depth, true);
    }
    *is_through = position_is_renewed(position) && cut_lets_go(&((Durable *)session->durable)->cut);
    if (!*is_through)
        durable_wait(actor);
    return true;
}

static void renew_begins(Actor *actor, Savepoint *savepoint)
{
    const chx_checkpoint *checkpoint = savepoint->position.checkpoint;
    if (actor->self.observed != 0)
        trace_block(actor, EVENT_LEAVE, 0, NULL);
    position_renew(&savepoint->position);
    savepoint_begin_round(actor, savepoint);
    if (actor->self.observed == 0)
        return;
    trace_block(actor, EVENT_ENTER, 0, NULL);
    observe_edge(actor, checkpoint);
}

static bool renew_durable(Actor *actor, const chx_checkpoint *checkpoint)
{
    Session *session = actor->session;
    Savepoint *savepoint = savepoint_top(actor);
    CHECK(savepoint != NULL && savepoint->position.checkpoint == checkpoint);
    bool arrives = !savepoint->position.arrived, is_through = false, is_met = true;
    if (arrives && actor->self.observed != 0)
        observe_edge(actor, checkpoint);
    if (arrives) {
        savepoint_save_next(savepoint);
        give_round(actor, savepoint);
    }
    blocks_lock_role(session);
    actor->self.wants = 0;
    bool goes_on = !checkpoint_must_look(actor);
    if (goes_on)
        is_met = renew_meets(actor, &savepoint->position, &is_through);
    const char *lacks = session->recovery.lacks;
    blocks_unlock_role(session);
    if (!is_met)
        guard_raise(CHX_FAULT_SYSTEM, 0, checkpoint->site, "%s", lacks);
    if (actor->self.observed != 0 && arrives && goes_on)
        trace_block(actor, EVENT_ARRIVE, 0, NULL);
    if (is_through)
        renew_begins(actor, savepoint);
    return is_through;
}

bool chx_renew_durable(chx_self *self, const chx_checkpoint *checkpoint)
{
    Actor *actor = (Actor *)self;
    if (actor->away != NULL)
        return actor->away->ops->renew(actor, checkpoint);
    if (actor->session->durable == NULL)
        return chx_renew(self, checkpoint);
    return renew_durable(actor, checkpoint);
}
