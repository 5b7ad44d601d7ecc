// part.c: a role whose blocks are decided elsewhere, while it runs: entering and leaving blocks, going back, failing, ending.
//
// Entering a block saves the role's frame here and gives the library a snapshot of it; the body goes on at once. At the end of a
// block the role waits until the library says that all are there. To be called back, and to begin a new life, it is told by the
// session's generation, which it compares between its steps and wherever it waits.

#include "runtime/remote/part.h"

#include "base/check.h"
#include "runtime/actor/effect.h"
#include "runtime/recovery/checkpoint.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/session/log.h"
#include "runtime/session/trace.h"
#include "runtime/value/codec.h"
#include "runtime/value/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An operation of the library. False: an order came first, and nothing was done; the role looks what it has to do. Without memory the
// step ends.
static bool need(int error)
{
    Actor *actor = current()->actor;
    if (error == EAGAIN) {
        actor->self.generation_seen = atomic_load(actor->self.generation) - 1;
        return false;
    }
    if (error == ENOMEM)
        guard_no_memory();
    if (error != 0)
        guard_raise(CHX_FAULT_SYSTEM, 0, actor->self.site, "what it has saved can't be sent: %s", strerror(error));
    return true;
}

static bool part_waits(Part *part)
{
    part->actor->self.wants = (uintptr_t)part | WANTS_BLOCK;
    return false;
}

static chx_fault part_fault(Actor *actor)
{
    return savepoint_top(actor)->fault->fault;
}

// ---- blocks ----

// What the role has saved for its newest savepoint, to part->buffer.
static void part_save(Actor *actor)
{
    Part *part = actor_part(actor);
    const Savepoint *parent = actor->member.count > 1 ? savepoint_at(actor, actor->member.count - 2) : NULL;
    buffer_restart(&part->buffer);
    snapshot_save(actor, parent != NULL ? parent->frame : NULL, &part->buffer);
    if (part->buffer.failed)
        guard_no_memory();
}

// The same as if the role were in no block.
static void part_save_outside(Actor *actor)
{
    Part *part = actor_part(actor);
    buffer_restart(&part->buffer);
    snapshot_save_outside(actor, &part->buffer);
    if (part->buffer.failed)
        guard_no_memory();
}

static bool part_is_at_gate(const Part *part, const chx_checkpoint *checkpoint)
{
    return part->is_durable && checkpoint->is_durable;
}

// Where the role goes on in its innermost block: at a durable one it asks to be let in.
static uint32_t part_label(Part *part, const Position *position)
{
    part->is_entering = part_is_at_gate(part, position->checkpoint);
    return part->is_entering ? position->checkpoint->enter_at : position_label(position);
}

// It is in the block. The label to go on at; 0: not yet.
static uint32_t part_asks_in(Part *part)
{
    Actor *actor = part->actor;
    actor->self.wants = 0;
    if (chx_generation_changed(&actor->self))
        return 0;
    if (!part->ops->is_let_in(part->context)) {
        part_waits(part);
        return 0;
    }
    part->is_entering = false;
    return position_label(&savepoint_top(actor)->position);
}

static uint32_t part_enter(Actor *actor, chx_frame *frame, const chx_checkpoint *checkpoint)
{
    Part *part = actor_part(actor);
    if (part->is_entering)
        return part_asks_in(part);
    char text[CHX_PART_TEXT];
    chx_fault fault = {0};
    uint32_t attempt = 0;
    Savepoint *savepoint = savepoint_add(actor, frame, checkpoint);
    part_save(actor);
    actor->self.wants = 0;
    if (!need(part_settle(part)) ||
        !need(part->ops->enter(part->context, checkpoint, savepoint->position.ordinal, actor->self.steps,
                               part->buffer.data, part->buffer.size, &attempt, &fault, text)))
        return 0;
    savepoint->position.attempt = attempt;
    if (attempt > 0) {
        savepoint->fault = block_fault_new(&fault);
        part_channels_reset(part); // what it has fetched is of an attempt that is over
    }
    trace_block(actor, EVENT_ENTER, 0, NULL);
    if (part_is_at_gate(part, checkpoint)) {
        part->is_entering = true;
        return part_asks_in(part);
    }
    // The block is entered. An order may have come since, for this role or for another one of the session: it is looked at before the
    // next step.
    return position_label(&savepoint->position);
}

// True: all participants are at the end of the block, or of the round.
static bool part_meets(Part *part)
{
    if (part->ops->is_through(part->context))
        return true;
    return part_waits(part);
}

// At the end of a block. In the outermost one, if that is durable, what the role goes on with behind it is saved.
static bool part_arrive(Actor *actor, const chx_checkpoint *checkpoint)
{
    Part *part = actor_part(actor);
    bool is_outermost = actor->member.count == 1 && part_is_at_gate(part, checkpoint);
    if (!need(part_settle(part)))
        return false;
    if (!is_outermost)
        return need(part->ops->arrive(part->context, 0, 0, NULL, 0));
    part_save_outside(actor);
    return need(part->ops->arrive_outside(part->context, actor->self.steps, part->buffer.data, part->buffer.size));
}

static bool part_leave(Actor *actor, const chx_checkpoint *checkpoint)
{
    Part *part = actor_part(actor);
    Savepoint *savepoint = savepoint_top(actor);
    // It goes on from here after a loss.
    if (savepoint == NULL && part_is_at_gate(part, checkpoint))
        return true;
    CHECK(savepoint != NULL && savepoint->position.checkpoint == checkpoint);
    actor->self.wants = 0;
    if (chx_generation_changed(&actor->self))
        return false;
    if (!savepoint->position.arrived) {
        if (!part_arrive(actor, checkpoint))
            return false;
        trace_block(actor, EVENT_ARRIVE, 0, NULL);
        savepoint->position.arrived = true;
    }
    if (!part_meets(part))
        return false;
    trace_block(actor, EVENT_LEAVE, 0, NULL);
    savepoint_forget(actor);
    return true;
}

// At the end of a round: saves the frame for the next one, here and elsewhere.
static bool part_save_round(Actor *actor, Savepoint *savepoint)
{
    Part *part = actor_part(actor);
    savepoint_drop_fault(savepoint);
    savepoint_save_next(savepoint);
    // What is saved is as if the next round had been entered.
    savepoint->position.ordinal++;
    savepoint_count_round(actor, savepoint);
    part_save(actor);
    savepoint->position.ordinal--;
    savepoint_count_round(actor, savepoint);
    return need(part_settle(part)) && need(part->ops->arrive(part->context, savepoint->position.ordinal + 1,
                                                             actor->self.steps, part->buffer.data, part->buffer.size));
}

static void part_begin_round(Actor *actor, Savepoint *savepoint)
{
    trace_block(actor, EVENT_LEAVE, 0, NULL);
    position_renew(&savepoint->position);
    savepoint_begin_round(actor, savepoint);
    trace_block(actor, EVENT_ENTER, 0, NULL);
}

static bool part_renew(Actor *actor, const chx_checkpoint *checkpoint)
{
    Part *part = actor_part(actor);
    Savepoint *savepoint = savepoint_top(actor);
    CHECK(savepoint != NULL && savepoint->position.checkpoint == checkpoint);
    actor->self.wants = 0;
    if (chx_generation_changed(&actor->self))
        return false;
    if (!savepoint->position.arrived) {
        if (!part_save_round(actor, savepoint))
            return false;
        trace_block(actor, EVENT_ARRIVE, 0, NULL);
        savepoint->position.arrived = true;
    }
    if (!part_meets(part))
        return false;
    part_begin_round(actor, savepoint);
    return true;
}

// ---- going back, and beginning ----

static void part_go_back(Actor *actor)
{
    Part *part = actor_part(actor);
    chx_part_back back;
    char text[CHX_PART_TEXT];
    part_channels_reset(part);
    if (!part->ops->back(part->context, &back, text))
        return;
    CHECK(back.depth < actor->member.count);
    Savepoint *target = savepoint_at(actor, back.depth);
    // It stood at the end of a round, and the next one has begun.
    if (target == savepoint_top(actor) && target->has_next && target->position.ordinal != back.ordinal)
        part_begin_round(actor, target);
    while (savepoint_top(actor) != target)
        savepoint_forget(actor);
    savepoint_begin_again(actor, target);
    free(target->fault);
    target->fault = NULL;
    target->position.arrived = false;
    target->position.attempt = back.attempt;
    target->fault = block_fault_new(&back.fault);
    savepoint_set_epochs(actor, target->position.checkpoint, back.epoch, true);
    target->frame->at = part_label(part, &target->position);
    actor->self.site = target->position.checkpoint->site;
    trace_block(actor, EVENT_RECOVER, back.epoch, target->fault->why);
    need(part->ops->went_back(part->context, back.number));
}

// Gives up everything that the role has: it has failed, or another life of it begins. Variables may be damaged.
static void part_unwind(void *closure)
{
    Actor *actor = closure;
    while (actor->member.count > 0)
        savepoint_forget(actor);
    actor_unwind(actor);
}

static void part_forget(Actor *actor)
{
    Part *part = actor_part(actor);
    Guard guard;
    if (!guard_run(&guard, actor, part_unwind, actor)) {
        log_write(actor->session->runtime, CHX_LOG_WARN, "%s's variables could not be released", actor->role->role);
        stack_unwind_to(actor, NULL, false);
    }
    actor->member.count = 0;
    actor->self.level = 0;
    actor->savepoints.ordinal_count = 0;
    actor->savepoints.outermost = (Ordinals){0};
    actor->self.returned = NULL;
    actor->self.wants = 0;
    actor->begun = false;
    part->is_entering = false;
    // It had come to its end, and has to be played again.
    const chx_result_slot *slot = actor->session->plan->roles[actor->index].result;
    if (actor->away->is_ending && slot != NULL)
        chx_value_drop(slot->type, actor->session->results + slot->offset);
    actor->away->is_ending = false;
}

static void part_load_block(Actor *actor, const chx_part_block *block)
{
    uint32_t ordinal = 0;
    const chx_checkpoint *checkpoint = role_checkpoint(actor->role, snapshot_site(block->snapshot, block->size));
    const char *why = checkpoint == NULL || checkpoint->name != block->name ? "it is of no block of the role" : NULL;
    if (why == NULL)
        why = snapshot_load(actor, checkpoint, block->snapshot, block->size, &ordinal);
    if (why != NULL)
        guard_raise(CHX_FAULT_SYSTEM, 0, 0, "what it saved when it entered the block can't be read: %s", why);
    savepoint_reserve(actor);
    Savepoint *savepoint = savepoint_allocate_for(actor, actor->self.top, checkpoint);
    savepoint_save(actor, savepoint);
    savepoint->position = (Position){.checkpoint = checkpoint, .ordinal = ordinal, .attempt = block->attempt};
    savepoint_push(actor, savepoint);
}

// In no block, with what a life before this one went on with behind a durable one.
static void part_load_base(Actor *actor, const chx_part_beginning *beginning)
{
    uint32_t ordinal;
    const char *why = NULL;
    if (snapshot_state_digest(beginning->base, beginning->base_size) != actor->role->state_digest)
        why = "the role had other variables or steps then";
    else
        why = snapshot_load(actor, NULL, beginning->base, beginning->base_size, &ordinal);
    if (why != NULL)
        guard_raise(CHX_FAULT_SYSTEM, 0, 0, "what the store has of it can't be read: %s", why);
    actor->self.steps = beginning->steps;
}

// Where a life before this one was when it entered its innermost block.
static void part_load(Actor *actor, const chx_part_beginning *beginning)
{
    Part *part = actor_part(actor);
    part_forget(actor);
    for (size_t i = 0; i < beginning->block_count; i++) {
        chx_part_block block = part->ops->block(part->context, i);
        part_load_block(actor, &block);
    }
    if (beginning->block_count == 0) {
        part_load_base(actor, beginning);
        return;
    }
    Savepoint *savepoint = savepoint_top(actor);
    if (savepoint->position.attempt > 0)
        savepoint->fault = block_fault_new(&beginning->fault);
    savepoint->frame->at = part_label(part, &savepoint->position);
    actor->self.site = savepoint->position.checkpoint->site; // until its first step
    actor->self.steps = beginning->steps;
    trace_block(actor, EVENT_RESTART, 0, beginning->fault.why);
}

static void part_begin(Actor *actor)
{
    Part *part = actor_part(actor);
    part_channels_reset(part);
    const chx_part_beginning *beginning = part->ops->beginning(part->context);
    // Known to roles' functions as chx_effect_id and chx_fence; none of this session runs here before.
    actor->session->token[0] = beginning->token[0];
    actor->session->token[1] = beginning->token[1];
    part->fence = beginning->fence;
    part->is_durable = beginning->is_durable;
    if (beginning->block_count > 0 || beginning->base != NULL)
        part_load(actor, beginning);
    else if (actor->self.top == NULL)
        guard_raise(CHX_FAULT_SYSTEM, 0, 0, "it can't begin again at the beginning");
    bool is_first = part->is_durable && beginning->block_count == 0 && beginning->base == NULL;
    if (!need(part->ops->begun(part->context)) || !is_first)
        return;
    // Nobody acts before the store has what all begin with.
    const char *pointer = snapshot_unsendable(actor->self.top);
    if (pointer != NULL)
        guard_raise(
            CHX_FAULT_SYSTEM, 0, 0,
            "its argument '%s' is a pointer or has one in it, and what that points to is not in the store: give it the "
            "value itself",
            pointer);
    part_save_outside(actor);
    need(part->ops->arrive_outside(part->context, actor->self.steps, part->buffer.data, part->buffer.size));
}

// The session was over before it was joined: the role has nothing to do.
static void part_is_given(Actor *actor)
{
    Part *part = actor_part(actor);
    part_forget(actor);
    const chx_result_slot *slot = actor->session->plan->roles[actor->index].result;
    const chx_buffer *given = part->ops->given(part->context);
    bool is_some = slot != NULL && given->size > 0;
    if (is_some && !chx_decode(slot->type, actor->session->results + slot->offset, given->data, given->size))
        guard_raise(CHX_FAULT_SYSTEM, 0, 0, "out of memory, or what it returned is not of the type");
    part->has_given = true;
    actor->begun = actor->away->is_ending = true;
}

static bool part_roll_back(Actor *actor)
{
    Part *part = actor_part(actor);
    for (;;) {
        // In this order: it is told something first and called then.
        actor->self.generation_seen = atomic_load(actor->self.generation);
        switch (part->ops->asks(part->context)) {
        case CHX_PART_GOES_ON:
            return true;
        case CHX_PART_WAITS:
            return part_waits(part);
        case CHX_PART_BEGINS:
            part_begin(actor);
            break;
        case CHX_PART_GOES_BACK:
            part_go_back(actor);
            break;
        case CHX_PART_IS_OVER:
            part_is_given(actor);
            return true;
        }
    }
}

static bool part_is_over(Actor *actor)
{
    Part *part = actor_part(actor);
    const Savepoint *top = savepoint_top(actor);
    return top != NULL && top->position.arrived && part->ops->is_through(part->context);
}

// ---- failing and ending ----

static bool part_fail(Actor *actor, Fault *fault)
{
    Part *part = actor_part(actor);
    if (session_is_stopping(actor->session))
        return false;
    int line = actor_site_line(actor, fault->site);
    const char *file = actor_site_file(actor, fault->site);
    chx_fault cause = {actor->role->role, fault->kind, fault->signal, fault->why, file, line};
    log_write_at(actor->session->runtime, CHX_LOG_INFO, file, line, "%s failed: %s", actor->role->role, fault->why);
    part_forget(actor);
    part_settle(part);
    part->ops->fail(part->context, &cause);
    // It asks what to do before anything else.
    actor->self.generation_seen = atomic_load(actor->self.generation) - 1;
    return true;
}

// In a durable session the role ends when the store has the outcome: until then it may have to be played again.
static bool part_ends(Part *part)
{
    return !part->is_durable || part->has_given || part->ops->has_ended(part->context) || part_waits(part);
}

static bool part_end(Actor *actor)
{
    Part *part = actor_part(actor);
    if (actor->away->is_ending)
        return part_ends(part);
    const chx_result_slot *slot = actor->session->plan->roles[actor->index].result;
    buffer_restart(&part->buffer);
    if (slot != NULL)
        chx_encode(slot->type, actor->session->results + slot->offset, &part->buffer);
    if (part->buffer.failed)
        guard_no_memory();
    fflush(NULL);
    actor->away->is_ending = true;
    if (!need(part_settle(part)) || !need(part->ops->end(part->context, part->buffer.data, part->buffer.size)))
        return !part->is_durable;
    return part_ends(part);
}

static const char *part_peer(Actor *actor, unsigned role)
{
    Part *part = actor_part(actor);
    return part->ops->peer(part->context, role);
}

static uint64_t part_fence(Actor *actor)
{
    return actor_part(actor)->fence;
}

static void part_flush(Actor *actor)
{
    Part *part = actor_part(actor);
    part_settle_later(part);
}

const AwayOps part_away_ops = {
    .is_process = false,
    .enter = part_enter,
    .leave = part_leave,
    .renew = part_renew,
    .fault = part_fault,
    .roll_back = part_roll_back,
    .is_over = part_is_over,
    .fail = part_fail,
    .end = part_end,
    .flush = part_flush,
    .peer = part_peer,
    .fence = part_fence,
};
