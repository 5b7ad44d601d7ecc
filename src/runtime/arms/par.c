// par.c: a role begins its arms, waits for them, and gives them up. See arms.h.

#include "runtime/arms/internal.h"

#include "base/check.h"
#include "runtime/actor/again.h"
#include "runtime/actor/elsewhere.h"
#include "runtime/isolation/isolation.h"
#include "runtime/recovery/broken.h"
#include "runtime/recovery/checkpoint.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/session/log.h"
#include "runtime/session/runtime.h"

#include <string.h>

// ---- beginning ----

// What arms can't do yet is refused here.
static void check_possible(const Actor *actor, const chx_checkpoint *block)
{
    const Session *root = actor->session->root;
    if (actor->away != NULL || root->parts != NULL)
        guard_raise(CHX_FAULT_SYSTEM, 0, block->site,
                    "'par' is not possible yet in a session with roles on other hosts");
    if (root->durable != NULL)
        guard_raise(CHX_FAULT_SYSTEM, 0, block->site, "'par' is not possible yet in a session that is kept in a store");
}

// The role has arms from now on, and the turn. The session is run by whoever can: its arms are everywhere.
static Arms *role_arms(Actor *actor)
{
    Session *root = actor->session->root;
    chx_runtime *runtime = root->runtime;
    ArmTable *table = arm_table(root);
    Arms *arms = runtime_allocate(runtime, sizeof *arms);
    Turn *turn = runtime_allocate(runtime, sizeof *turn);
    if (arms == NULL || turn == NULL) {
        runtime_release(runtime, arms);
        runtime_release(runtime, turn);
        guard_no_memory();
    }
    turn_init(turn);
    *arms = (Arms){.turn = turn};
    current()->busy++;
    scheduler_lock(root->runtime->platform, &table->lock);
    arms->next = table->arms;
    table->arms = arms;
    pthread_mutex_unlock(&table->lock);
    if (session_is_pinned_to(root, current()->worker))
        session_unpin(root);
    atomic_store(&root->has_arms, true);
    current()->busy--;
    return arms;
}

static Par *actor_par(Actor *actor)
{
    if (actor->arms == NULL)
        actor->arms = role_arms(actor);
    if (actor->arms->par == NULL) {
        Par *par = runtime_allocate(actor->session->runtime, sizeof *par + sizeof *par->gate);
        if (par == NULL)
            guard_no_memory();
        memset(par, 0, sizeof *par + sizeof *par->gate);
        par->gate = (Block *)(void *)(par + 1);
        actor->arms->par = par;
    }
    return actor->arms->par;
}

static ArmName name_of(Actor *actor, const chx_checkpoint *block, uint32_t ordinal)
{
    const Savepoint *around = savepoint_top(actor);
    ArmName name = {
        .session = actor->session, .static_name = block->name, .ordinal = ordinal, .member = &actor->member};
    if (around != NULL) {
        name.block = around->position.block;
        name.round = around->position.ordinal;
        name.attempt = is_broken(BROKEN_ARM_NO_ATTEMPT) ? 0 : around->position.attempt;
    }
    if (is_broken(BROKEN_ARM_NO_ORDINAL))
        name.ordinal = 0;
    return name;
}

// Its stack, with room for the first frame and a little more, then counters and the pool of strings.
static void part_begin_stack(ArmPart *part, const chx_function *function)
{
    enum { MORE_BYTES = 128 };
    Actor *actor = part->actor;
    size_t stack = CHX_FRAME_BYTES(function->frame_size) + MORE_BYTES;
    size_t counts = actor->role->counter_count * sizeof(chx_count), pool = POOL_FIRST * sizeof *actor->pool;
    part->room = runtime_allocate(actor->session->runtime, sizeof(Chunk) + stack + counts + pool);
    if (part->room == NULL)
        guard_no_memory();
    unsigned char *behind = (unsigned char *)part->room + sizeof(Chunk) + stack;
    stack_init(actor, part->room, stack);
    actor->self.counts = memset(behind, 0, counts);
    actor->pool = (const struct chx_text **)(void *)(behind + counts);
    actor->pool_capacity = POOL_FIRST;
    part->is_begun = true;
}

// The variables that own something are zero in the copy, unless the arm uses them: then they are copied.
static void part_copy_frame(ArmPart *part, const chx_frame *from, const chx_arm *arm)
{
    const chx_function *function = from->function;
    chx_frame *frame = part->frame = chx_call(&part->actor->self, function);
    memcpy(frame + 1, from + 1, function->frame_size - sizeof *from);
    for (size_t i = 0; i < function->owned_count; i++)
        memset((char *)frame + function->variables[i].offset, 0, function->variables[i].type->size);
    frame->at = arm->chx_block.body_at;
    for (size_t i = 0; i < arm->use_count; i++)
        chx_value_copy(arm->uses[i].type, (char *)frame + arm->uses[i].offset,
                       (const char *)from + arm->uses[i].offset);
}

// Where the element is in the array of the role's frame.
static void *element_place(const chx_arm_element *element, const chx_frame *frame, const chx_frame *arm)
{
    char *array = *(char *const *)(const void *)((const char *)frame + element->array);
    size_t index = *(const size_t *)(const void *)((const char *)arm + element->index);
    return array + index * element->type->size;
}

static void part_copy_elements(const ArmPart *part, const chx_frame *from, const chx_arm *arm)
{
    for (size_t i = 0; i < arm->element_count; i++)
        chx_value_copy(arm->elements[i].type, (char *)part->frame + arm->elements[i].element,
                       element_place(&arm->elements[i], from, part->frame));
}

static void give_back(const chx_type *type, void *to, void *from)
{
    if (type->owning)
        chx_set_moved(type, to, from);
    else
        memcpy(to, from, type->size);
}

void chx_arm_begin(chx_self *self, chx_frame *frame, const chx_arm *arm, const chx_checkpoint *block)
{
    Actor *actor = (Actor *)self;
    self->site = arm->chx_block.site;
    if (actor_is_process(actor)) {
        actor->away->ops->arms->begin(actor, frame, arm, block);
        return;
    }
    check_possible(actor, &arm->chx_block);
    Par *par = actor_par(actor);
    uint32_t *ordinal = savepoint_ordinal(actor, savepoint_top(actor), block->name);
    ArmName name = name_of(actor, block, *ordinal);
    ArmPart *part = arm_join(actor->session->root, &name, block);
    if (part == NULL)
        guard_no_memory();
    (*ordinal)++;
    CHECK(part->parent == NULL);
    part->parent = actor;
    part->program = arm;
    part->arms.turn = actor->arms->turn;
    part->next = par->begun;
    par->begun = part;
    part_begin_stack(part, frame->function);
    part_copy_frame(part, frame, arm);
    part_copy_elements(part, frame, arm);
    par->running++;
    part->is_queued = true;
    turn_queue_up(actor->arms->turn, part->actor);
}

// ---- the end ----

static void give_up(void *closure)
{
    checkpoint_abandon(closure);
    actor_unwind(closure);
}

// The part's actor, in hand, does nothing more.
static void part_goes(ArmPart *part)
{
    Actor *actor = part->actor;
    Guard unwinding;
    arms_abandon(actor);
    if (actor->again != NULL)
        again_cancel(actor);
    atomic_store(&actor->has_left, true);
    if (part->is_begun && !guard_run(&unwinding, actor, give_up, actor))
        log_write(actor->session->runtime, CHX_LOG_WARN, "%s's variables could not be released", actor->role->role);
    part->is_gone = true;
    session_leave(actor->session);
}

// The role, which may wait at the end of the `par`, goes on. The caller has its turn.
static void par_opens(Actor *parent, Par *par)
{
    atomic_store(&par->gate->done, true);
    if (actor_wake(parent, par->gate))
        turn_queue_up(parent->arms->turn, parent);
}

chx_step chx_arm_end(chx_self *self)
{
    if (actor_is_process((Actor *)self))
        return ((Actor *)self)->away->ops->arms->end((Actor *)self);
    ArmPart *part = ((Actor *)self)->arms->part;
    if (part->is_over) // it was called for something else
        return chx_wait_for_ever(self);
    if (self->notify_pending != NULL)
        chx_notify(self);
    part->is_over = true;
    Par *par = part->is_abandoned ? NULL : part->parent->arms->par;
    if (par != NULL && --par->running == 0)
        par_opens(part->parent, par);
    return chx_wait_for_ever(self);
}

// What belongs to the arm is the role's again.
static void part_give_back(ArmPart *part, chx_frame *frame)
{
    const chx_arm *arm = part->program;
    for (size_t i = 0; i < arm->own_count; i++) {
        size_t offset = arm->owns[i].offset;
        give_back(arm->owns[i].type, (char *)frame + offset, (char *)part->frame + offset);
    }
    for (size_t i = 0; i < arm->element_count; i++)
        give_back(arm->elements[i].type, element_place(&arm->elements[i], frame, part->frame),
                  (char *)part->frame + arm->elements[i].element);
}

bool chx_par_end(chx_self *self, chx_frame *frame)
{
    Actor *actor = (Actor *)self;
    if (actor_is_process(actor))
        return actor->away->ops->arms->par_end(actor, frame);
    Par *par = actor->arms != NULL ? actor->arms->par : NULL;
    if (par == NULL || par->begun == NULL)
        return true;
    if (par->has_failed)
        guard_raise(par->fault.kind, par->fault.signal, par->fault.site, "%s", par->fault.why);
    if (par->running > 0) {
        self->wants = (uintptr_t)par->gate | WANTS_BLOCK;
        return false;
    }
    for (ArmPart *part = par->begun, *next; part != NULL; part = next) {
        next = part->next;
        Session *arm = part->actor->session;
        part_give_back(part, frame);
        bool is_in_hand = actor_wake(part->actor, NULL);
        CHECK(is_in_hand && part->is_over);
        part_goes(part);
        session_leave(arm);
    }
    par->begun = NULL;
    atomic_store(&par->gate->done, false);
    return true;
}

// ---- failures ----

static void arm_stop(Session *arm)
{
    atomic_store(&arm->ending.stopping, true);
    // Whoever compares generations under the block lock looks first whether the session is stopping.
    atomic_fetch_add(&arm->generation, ROLLBACKS_REMEMBERED + 1);
}

void arms_abandon(Actor *actor)
{
    Par *par = actor->arms != NULL ? actor->arms->par : NULL;
    if (par == NULL || par->begun == NULL)
        return;
    Scheduler *scheduler = &actor->session->runtime->scheduler;
    ArmPart *begun = par->begun;
    if (is_broken(BROKEN_ARM_LEFT_BEHIND) && begun->next != NULL)
        begun = begun->next;
    current()->busy++;
    for (ArmPart *part = begun; part != NULL; part = part->next)
        arm_stop(part->actor->session);
    // Those that wait are in hand from now on; the others are at work, or queued, and leave when they have their turn.
    scheduler_quiesce(scheduler);
    for (ArmPart *part = begun; part != NULL; part = part->next) {
        part->is_abandoned = true;
        again_recall(part->actor);
        part->is_taken = !part->is_gone && part->is_begun && actor_wake(part->actor, NULL);
    }
    scheduler_resume(scheduler);
    for (ArmPart *part = begun, *next; part != NULL; part = next) {
        next = part->next;
        Session *arm = part->actor->session;
        arm_unlist(part->arm);
        if (part->is_taken || (!part->is_queued && !part->is_gone))
            part_goes(part);
        session_leave(arm);
    }
    par->begun = NULL;
    par->running = 0;
    par->has_failed = false;
    atomic_store(&par->gate->done, false);
    current()->busy--;
}

static void part_failed(ArmPart *part, const Fault *fault)
{
    Par *par = part->is_abandoned ? NULL : part->parent->arms->par;
    if (par == NULL || par->has_failed || is_broken(BROKEN_ARM_NOT_COUNTED))
        return;
    par->has_failed = true;
    par->fault = *fault;
    par_opens(part->parent, par);
}

void arms_fail(Session *session, const Fault *fault)
{
    Arm *arm = session->arm;
    Scheduler *scheduler = &session->runtime->scheduler;
    pthread_mutex_lock(&session->ending.lock);
    bool is_first = !arm->has_failed;
    if (is_first)
        arm->fault = runtime_allocate(session->runtime, sizeof *arm->fault);
    if (is_first && arm->fault != NULL)
        *arm->fault = *fault;
    arm->has_failed = true;
    pthread_mutex_unlock(&session->ending.lock);
    if (!is_first)
        return;
    arm_stop(session);
    scheduler_quiesce(scheduler);
    for (unsigned i = 0; i < session->actor_count; i++) {
        if (session->actors[i].proxy != NULL) {
            isolation_arm_failed(&session->actors[i], fault);
            continue;
        }
        again_recall(&session->actors[i]);
        if (actor_wake(&session->actors[i], NULL))
            scheduler_ready(scheduler, &session->actors[i]);
    }
    scheduler_resume(scheduler);
}

void arms_actor_left(Actor *actor, ActorOutcome outcome, Guard *guard)
{
    ArmPart *part = actor->arms->part;
    if (outcome == ACTOR_FAILED)
        part_failed(part, &guard->fault);
    else if (part->arm->has_failed)
        part_failed(part, part->arm->fault != NULL ? part->arm->fault : &(Fault){.kind = CHX_FAULT_SYSTEM});
    part_goes(part);
}

bool arms_are_kept_waiting(Session *session, const Block *block)
{
    const chx_checkpoint *checkpoint = block->checkpoint;
    for (uint32_t i = 0; i < checkpoint->participant_count; i++) {
        const Actor *actor = &session->actors[arms_place(session->arm, checkpoint->participants[i])];
        Turn *turn = arms_turn(actor);
        if (!block->is_there[i] && turn != NULL && turn_is_awaited(turn, actor))
            return true;
    }
    return false;
}

// ---- isolated roles ----

Actor *arms_enter_elsewhere(Actor *actor, const chx_checkpoint *block)
{
    uint32_t *ordinal = savepoint_ordinal(actor, savepoint_top(actor), block->name);
    ArmName name = name_of(actor, block, *ordinal);
    ArmPart *part = arm_join(actor->session->root, &name, block);
    if (part == NULL)
        return NULL;
    (*ordinal)++;
    CHECK(part->parent == NULL);
    part->parent = actor;
    return part->actor;
}

void arms_stop_elsewhere(Actor *actor)
{
    ArmPart *part = actor->arms->part;
    part->is_abandoned = true;
    arm_stop(actor->session);
    arm_unlist(part->arm);
}

void arms_leave_elsewhere(Actor *actor)
{
    Session *arm = actor->session;
    ArmPart *part = actor->arms->part;
    atomic_store(&actor->has_left, true);
    part->is_gone = true;
    session_leave(arm);
    session_leave(arm);
}

// ---- taking turns ----

bool arms_may_follow(const Actor *actor, const Actor *next)
{
    Turn *turn = arms_turn(next);
    // What is given back afterwards must still be there.
    if (actor->session->root != next->session->root)
        return false;
    return turn == NULL || (turn != arms_turn(actor) && turn_try(turn));
}
