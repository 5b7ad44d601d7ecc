// checkpoint.c: roles of this program enter and leave blocks, and go back to them. See checkpoint.h.

#include "runtime/recovery/checkpoint.h"

#include "base/check.h"
#include "runtime/actor/observe.h"
#include "runtime/arms/arms.h"
#include "runtime/isolation/isolation.h"
#include "runtime/durable/durable.h"
#include "runtime/recovery/broken.h"
#include "runtime/actor/elsewhere.h"
#include "runtime/recovery/restart.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"
#include "runtime/session/trace.h"

#include <string.h>

// The events of a session's recovery are serialised, by the actors' workers with blocks_lock and blocks_unlock. While the
// session is pinned to one worker, no lock is needed, only that none of its actors is taken away meanwhile
// (recovery.is_exclusive). Else it is the mutex.

// Tries to pin the session. Not too early: each time that it did not last, it is tried later.
static CHX_COLD void blocks_try_pin(Session *session, Worker *worker)
{
    enum { FIRST_TRY = 32, LAST_TRY = 4096 };
    BlockLock *lock = &session->block_lock;
    uint32_t until = atomic_load_explicit(&lock->until_pinned, memory_order_relaxed);
    if (until != 0 && (session->isolated != NULL || !session_pin(session, worker, current()->actor)))
        return;
    until = until == 0 ? FIRST_TRY : until < LAST_TRY ? until * 2 : LAST_TRY;
    atomic_store_explicit(&lock->left, until, memory_order_relaxed);
    atomic_store_explicit(&lock->until_pinned, until, memory_order_relaxed);
}

static inline void blocks_lock(Session *session)
{
    Current *here = current();
    Worker *worker = here->worker;
    if (owner_section_begin(worker)) {
        if (session_is_pinned_to(session, worker)) {
            session->recovery.is_exclusive = true;
            return;
        }
        owner_section_end(worker);
    }
    here->busy++;
    scheduler_lock(session->runtime->platform, session->block_lock.used);
    session->recovery.is_exclusive = false;
    uint32_t left = atomic_load_explicit(&session->block_lock.left, memory_order_relaxed);
    if (left == 0)
        blocks_try_pin(session, worker);
    else
        atomic_store_explicit(&session->block_lock.left, left - 1, memory_order_relaxed);
}

static inline void blocks_unlock(Session *session)
{
    Current *here = current();
    if (session->recovery.is_exclusive) {
        owner_section_end(here->worker);
        return;
    }
    pthread_mutex_unlock(session->block_lock.used);
    here->busy--;
}

void blocks_lock_outside(Session *session)
{
    Scheduler *scheduler = &session->runtime->scheduler;
    // In this order: whoever holds the lock could pin the session again.
    pthread_mutex_lock(session->block_lock.used);
    if (session_is_pinned(session)) {
        scheduler_quiesce(scheduler);
        session_unpin(session);
        scheduler_resume(scheduler);
    }
    session->recovery.is_exclusive = false;
}

void blocks_unlock_outside(Session *session)
{
    pthread_mutex_unlock(session->block_lock.used);
}

void blocks_lock_role(Session *session)
{
    blocks_lock(session);
}

void blocks_unlock_role(Session *session)
{
    blocks_unlock(session);
}

// The usual case, in fewer steps: one worker has the session, and nothing has happened that the role has not seen. Then they
// are locked until owner_section_end. NULL: that is not so.
static inline Worker *blocks_lock_quietly(Actor *actor)
{
    Session *session = actor->session;
    Worker *worker = current()->worker;
    if (!owner_section_begin(worker))
        return NULL;
    bool is_known = !chx_generation_changed(&actor->self) || is_broken(BROKEN_QUIET_LOCK_DEAF);
    if (session_is_pinned_to(session, worker) && is_known) {
        session->recovery.is_exclusive = true;
        return worker;
    }
    owner_section_end(worker);
    return NULL;
}

// The outermost block of this actor that went to another attempt up to this rollback generation, or NULL: recovery_behind,
// without looking at every block of a deep recursion. The blocks are locked.
static __attribute__((noinline)) Savepoint *savepoint_rolled_back(Actor *actor, uint32_t generation)
{
    Session *session = actor->session;
    size_t outermost = actor->member.count;
    if (generation - actor->self.generation_seen > ROLLBACKS_REMEMBERED)
        return (Savepoint *)(void *)recovery_behind(&actor->member);
    for (uint32_t i = actor->self.generation_seen; i != generation; i++) {
        size_t depth = session->rollback_depths[i % ROLLBACKS_REMEMBERED];
        if (depth < outermost && position_is_behind(actor->member.positions[depth]))
            outermost = depth;
    }
    return outermost < actor->member.count ? savepoint_at(actor, outermost) : NULL;
}

// Something must be done before this role enters or leaves a block. The blocks are locked.
static inline bool actor_must_look(Actor *actor)
{
    uint32_t generation = atomic_load(&actor->session->generation);
    return generation != actor->self.generation_seen &&
           (session_is_stopping(actor->session) || savepoint_rolled_back(actor, generation) != NULL);
}

bool checkpoint_must_look(Actor *actor)
{
    return actor_must_look(actor);
}

void observe_edge(Actor *actor, const chx_checkpoint *checkpoint)
{
    actor->self.site = checkpoint->site;
    observe_boundary(actor);
}

// ---- entering and leaving ----

// In any case. Not entered, and 0: the role is rolled back elsewhere.
static __attribute__((noinline)) uint32_t savepoint_enter(Actor *actor, Savepoint *savepoint, Block *parent,
                                                          uint32_t *ordinal)
{
    Session *session = actor->session;
    const chx_checkpoint *checkpoint = savepoint->position.checkpoint;
    blocks_lock(session);
    bool is_rolled_back = actor_must_look(actor);
    bool is_in = !is_rolled_back && recovery_enter(&session->recovery, &savepoint->position, parent, checkpoint,
                                                   *ordinal, ATTEMPT_CURRENT);
    uint32_t epoch = is_in ? savepoint->position.block->epoch : 0;
    const char *lacks = is_in || is_rolled_back ? NULL : session->recovery.lacks;
    blocks_unlock(session);
    if (!is_in) {
        savepoint_drop_saved(savepoint);
        savepoint_release(actor, savepoint);
        if (lacks != NULL)
            guard_raise(CHX_FAULT_SYSTEM, 0, checkpoint->site, "%s", lacks);
        actor->self.wants = 0;
        return 0;
    }
    if (is_broken(BROKEN_LATE_ATTEMPT_FORGOTTEN))
        savepoint->position.attempt = 0;
    (*ordinal)++;
    savepoint_push(actor, savepoint);
    if (actor->self.observed != 0)
        trace_block(actor, EVENT_ENTER, epoch, NULL);
    if (savepoint->position.attempt == 0)
        return checkpoint->body_at;
    // Others have failed here already: this role begins where they are.
    savepoint_set_epochs(actor, checkpoint, epoch, true);
    uint32_t at = position_label(&savepoint->position);
    if (is_broken(BROKEN_NOTICE_TWICE)) {
        savepoint->position.attempt--;
        actor->self.generation_seen -= ROLLBACKS_REMEMBERED + 1;
    }
    return at;
}

// Compiled twice: for roles that are not observed, and for those that are, or whose blocks are decided elsewhere (enter_seen,
// leave_seen).
CHX_INLINE uint32_t enter(Actor *actor, chx_frame *frame, const chx_checkpoint *checkpoint, bool is_observed)
{
    if (is_observed)
        observe_edge(actor, checkpoint);
    savepoint_reserve(actor);
    Savepoint *outer = savepoint_top(actor);
    uint32_t *ordinal = savepoint_ordinal(actor, outer, checkpoint->name);
    Savepoint *savepoint = savepoint_allocate_for(actor, frame, checkpoint);
    Block *parent = outer != NULL ? outer->position.block : NULL;
    savepoint_save(actor, savepoint); // before the block knows of this role: a copy may fail
    // Usually it is the first attempt, and the blocks can be locked quietly.
    Worker *worker = blocks_lock_quietly(actor);
    bool is_in = false;
    if (worker != NULL) {
        is_in = recovery_enter_first(&actor->session->recovery, &savepoint->position, parent, checkpoint, *ordinal);
        owner_section_end(worker);
    }
    if (!is_in)
        return savepoint_enter(actor, savepoint, parent, ordinal);
    (*ordinal)++;
    savepoint_push(actor, savepoint);
    if (is_observed)
        trace_block(actor, EVENT_ENTER, 0, NULL);
    return checkpoint->body_at;
}

static __attribute__((noinline)) uint32_t enter_seen(Actor *actor, chx_frame *frame, const chx_checkpoint *checkpoint)
{
    return actor->away != NULL ? actor->away->ops->enter(actor, frame, checkpoint)
                               : enter(actor, frame, checkpoint, true);
}

uint32_t chx_enter(chx_self *self, chx_frame *frame, const chx_checkpoint *checkpoint)
{
    Actor *actor = (Actor *)self;
    if (CHX_UNLIKELY(self->observed != 0 || actor->away != NULL))
        return enter_seen(actor, frame, checkpoint);
    return enter(actor, frame, checkpoint, false);
}

// At the end of the current attempt: leaves the block if all are there, else is to wait for it. The blocks are locked.
CHX_INLINE void savepoint_meet(Actor *actor, Savepoint *savepoint)
{
    Recovery *recovery = &actor->session->recovery;
    Position *position = &savepoint->position;
    CHECK(position->block->attempt == position->attempt || is_broken(BROKEN_LATE_ATTEMPT_FORGOTTEN));
    if (!position->arrived) {
        recovery_arrive(recovery, position, false);
        if (position->is_done)
            return;
    }
    position->is_done =
        atomic_load_explicit(&position->block->done, memory_order_relaxed) || is_broken(BROKEN_MEETING_SKIPPED);
    if (position->is_done)
        recovery_leave(recovery, position, !is_broken(BROKEN_MEETING_SKIPPED));
    else
        actor->self.wants = (uintptr_t)position->block | WANTS_BLOCK;
}

// In any case. False: something has happened, the role does not arrive.
static __attribute__((noinline)) bool savepoint_leave(Actor *actor, Savepoint *savepoint)
{
    Session *session = actor->session;
    blocks_lock(session);
    bool goes_on = !actor_must_look(actor);
    actor->self.wants = 0;
    if (goes_on)
        savepoint_meet(actor, savepoint);
    blocks_unlock(session);
    return goes_on;
}

CHX_INLINE bool leave(Actor *actor, const chx_checkpoint *checkpoint, bool is_observed)
{
    Savepoint *savepoint = savepoint_top(actor);
    CHECK(savepoint != NULL && savepoint->position.checkpoint == checkpoint);
    bool arrives = false;
    if (!savepoint->position.is_done) {
        arrives = !savepoint->position.arrived;
        if (is_observed && arrives)
            observe_edge(actor, checkpoint);
        Worker *worker = blocks_lock_quietly(actor);
        if (worker != NULL) {
            savepoint_meet(actor, savepoint);
            owner_section_end(worker);
        } else if (!savepoint_leave(actor, savepoint)) {
            arrives = false;
        }
    }
    if (is_observed && arrives)
        trace_block(actor, EVENT_ARRIVE, 0, NULL);
    if (!savepoint->position.is_done)
        return false;
    if (is_observed)
        trace_block(actor, EVENT_LEAVE, 0, NULL);
    savepoint_pop(actor);
    return true;
}

static __attribute__((noinline)) bool leave_seen(Actor *actor, const chx_checkpoint *checkpoint)
{
    return actor->away != NULL ? actor->away->ops->leave(actor, checkpoint) : leave(actor, checkpoint, true);
}

bool chx_leave(chx_self *self, const chx_checkpoint *checkpoint)
{
    Actor *actor = (Actor *)self;
    if (CHX_UNLIKELY(self->observed != 0 || actor->away != NULL))
        return leave_seen(actor, checkpoint);
    return leave(actor, checkpoint, false);
}

// ---- rounds ----

// At the end of the current attempt of a round: begins the next one if all are there, else is to wait for it. The blocks are
// locked. False: the deadline of the next round could not be set.
CHX_INLINE bool savepoint_meet_round(Actor *actor, Savepoint *savepoint)
{
    Position *position = &savepoint->position;
    CHECK(position_is_renewed(position) || position->block->attempt == position->attempt ||
          is_broken(BROKEN_LATE_ATTEMPT_FORGOTTEN));
    if (!position->arrived && !recovery_arrive(&actor->session->recovery, position, true))
        return false;
    if (!position_is_renewed(position))
        actor->self.wants = (uintptr_t)position->block | WANTS_BLOCK;
    return true;
}

// In any case. False: something has happened, the role does not arrive.
static __attribute__((noinline)) bool savepoint_renew(Actor *actor, Savepoint *savepoint)
{
    Session *session = actor->session;
    blocks_lock(session);
    bool goes_on = !actor_must_look(actor), is_met = true;
    actor->self.wants = 0;
    if (goes_on)
        is_met = savepoint_meet_round(actor, savepoint);
    const char *lacks = session->recovery.lacks;
    blocks_unlock(session);
    if (!is_met)
        guard_raise(CHX_FAULT_SYSTEM, 0, savepoint->position.checkpoint->site, "%s", lacks);
    return goes_on;
}

CHX_INLINE bool renew(Actor *actor, const chx_checkpoint *checkpoint, bool is_observed)
{
    Savepoint *savepoint = savepoint_top(actor);
    CHECK(savepoint != NULL && savepoint->position.checkpoint == checkpoint);
    Position *position = &savepoint->position;
    bool arrives = !position->arrived;
    if (is_observed && arrives)
        observe_edge(actor, checkpoint);
    if (arrives)
        savepoint_save_next(savepoint); // before the others know that this role is here: a copy may fail
    // Setting the deadline of the next round can fail, which only the other way is prepared for.
    Worker *worker = checkpoint->within_ns == 0 ? blocks_lock_quietly(actor) : NULL;
    bool goes_on = true;
    if (worker != NULL) {
        savepoint_meet_round(actor, savepoint);
        owner_section_end(worker);
    } else {
        goes_on = savepoint_renew(actor, savepoint);
    }
    if (is_observed && arrives && goes_on)
        trace_block(actor, EVENT_ARRIVE, 0, NULL);
    if (!goes_on || !position_is_renewed(position))
        return false;
    if (is_observed)
        trace_block(actor, EVENT_LEAVE, 0, NULL);
    position_renew(position);
    savepoint_begin_round(actor, savepoint);
    if (is_observed) {
        trace_block(actor, EVENT_ENTER, 0, NULL);
        observe_edge(actor, checkpoint);
    }
    return true;
}

static __attribute__((noinline)) bool renew_seen(Actor *actor, const chx_checkpoint *checkpoint)
{
    return actor->away != NULL ? actor->away->ops->renew(actor, checkpoint) : renew(actor, checkpoint, true);
}

bool chx_renew(chx_self *self, const chx_checkpoint *checkpoint)
{
    Actor *actor = (Actor *)self;
    if (CHX_UNLIKELY(self->observed != 0 || actor->away != NULL))
        return renew_seen(actor, checkpoint);
    return renew(actor, checkpoint, false);
}

chx_fault chx_fault_here(chx_self *self)
{
    Actor *actor = (Actor *)self;
    if (actor->away != NULL)
        return actor->away->ops->fault(actor);
    Savepoint *savepoint = savepoint_top(actor);
    CHECK(savepoint != NULL && savepoint->position.attempt > 0);
    blocks_lock(actor->session);
    chx_fault fault = savepoint->position.block->fault->fault;
    char why[BLOCK_WHY_BYTES];
    bool is_kept = actor->session->durable != NULL;
    if (is_kept)
        strcpy(why, fault.why);
    blocks_unlock(actor->session);
    // What is in the store has the text, too, wherever the variable goes: snapshots know it by its place among the role's memory.
    if (is_kept)
        fault.why = strcpy(chx_alloc(strlen(why) + 1), why);
    return fault;
}

// ---- going back ----

// One of the mistakes of broken.h.
static void inbound_lose(Actor *actor)
{
    for (size_t i = 0; i < actor->role->receives_from_count; i++)
        while (actor->in[i]->ops->peek(actor->in[i]) != NULL)
            actor->in[i]->ops->drop(actor->in[i]);
}

// The round that the role goes back to has begun, and the role, which waited for that, had not noticed.
static CHX_COLD void roll_back_to_round(Actor *actor, Savepoint *target, uint32_t last_attempt)
{
    if (actor->self.observed != 0) {
        Position position = target->position;
        target->position.ordinal--;
        target->position.attempt = last_attempt;
        trace_block(actor, EVENT_LEAVE, 0, NULL);
        position_renew(&target->position);
        trace_block(actor, EVENT_ENTER, 0, NULL);
        target->position = position;
    }
    if (!is_broken(BROKEN_OLD_ROUND))
        savepoint_begin_round(actor, target);
}

// Where a role that was rolled back goes on. In a durable block it asks first whether the store knows of the attempt.
static uint32_t savepoint_label(Actor *actor, const Savepoint *target)
{
    const Position *position = &target->position;
    if (!position->checkpoint->is_durable || actor->session->durable == NULL)
        return position_label(position);
    durable_go_back(actor, actor->member.count - 1);
    return position->checkpoint->enter_at;
}

void checkpoint_roll_back(Actor *actor, uint32_t generation)
{
    Session *session = actor->session;
    blocks_lock(session);
    Savepoint *target = savepoint_rolled_back(actor, generation);
    actor->self.generation_seen = generation;
    uint32_t epoch = 0, last_attempt = 0;
    char why[REPORT_WHY_SIZE];
    const char *lacks = NULL;
    bool is_renewed = false;
    if (target != NULL) {
        if (actor->self.observed != 0)
            strcpy(why, target->position.block->fault->why);
        epoch = target->position.block->epoch;
        is_renewed = position_is_renewed(&target->position);
        last_attempt = target->position.attempt;
        if (!recovery_return(&session->recovery, &actor->member, &target->position))
            lacks = session->recovery.lacks;
    }
    blocks_unlock(session);
    if (target == NULL)
        return;
    if (CHX_UNLIKELY(actor->arms != NULL))
        arms_abandon(actor);
    while (savepoint_top(actor) != target)
        savepoint_pop(actor);
    if (is_renewed)
        roll_back_to_round(actor, target, last_attempt);
    savepoint_begin_again(actor, target);
    if (is_broken(BROKEN_INBOUND_LOST) && !actor->begun)
        inbound_lose(actor);
    savepoint_set_epochs(actor, target->position.checkpoint, epoch, false);
    target->frame->at = savepoint_label(actor, target);
    if (lacks != NULL)
        guard_raise(CHX_FAULT_SYSTEM, 0, target->position.checkpoint->site, "%s", lacks);
    if (actor->self.observed != 0)
        trace_block(actor, actor->begun ? EVENT_RECOVER : EVENT_RESTART, epoch, why); // a fresh instance has not begun
}

bool checkpoint_recover(Actor *actor, Fault *fault)
{
    Session *session = actor->session;
    if (CHX_UNLIKELY(actor->away != NULL))
        return actor->away->ops->fail(actor, fault);
    if (actor->member.count == 0)
        return false;
    SourcePlace place = actor_site_place(actor, fault->site);
    blocks_lock(session);
    // Rolled back already: it has failed in an abandoned attempt, and nothing else changes.
    bool is_abandoned = savepoint_rolled_back(actor, atomic_load(&session->generation)) != NULL;
    bool recovers = restart_decide(actor, fault, place, is_abandoned);
    // In an arm the role goes back, but does not begin anew.
    if (recovers && session->arm == NULL)
        actor->begun = false;
    blocks_unlock(session);
    if (recovers)
        restart_log(actor, fault, place);
    return recovers;
}

void checkpoint_abandon(Actor *actor)
{
    Session *session = actor->session;
    while (actor->away != NULL && actor->member.count > 0)
        savepoint_forget(actor);
    while (actor->member.count > 0) {
        blocks_lock(session);
        recovery_abandon(&session->recovery, &actor->member);
        blocks_unlock(session);
        savepoint_pop(actor);
    }
}
