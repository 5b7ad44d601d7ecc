// savepoint.c: see savepoint.h.

#include "runtime/recovery/savepoint.h"

#include "base/check.h"
#include "runtime/arms/arms.h"
#include "runtime/recovery/broken.h"
#include "runtime/session/log.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"
#include "runtime/value/codec.h"
#include "runtime/value/text.h"

#include <stdlib.h>
#include <string.h>

// ---- memory, last in first out ----

static void release(Actor *actor, void *memory)
{
    const unsigned char *room = actor->savepoints.room, *place = memory;
    bool is_in_room = room != NULL && place >= room && place < room + SAVEPOINT_ROOM_BYTES;
    if (memory != NULL && !is_in_room)
        runtime_release(actor->session->runtime, memory);
}

// From now on savepoints lie in this chunk.
static void savepoint_chunk_use(Actor *actor, Chunk *chunk)
{
    actor->savepoints.chunk = chunk;
    // The first one is kept.
    actor->savepoints.begin = chunk->previous != NULL ? chunk->data : NULL;
    actor->savepoints.next = chunk->data + chunk->used;
    actor->savepoints.end = chunk->data + chunk->capacity;
}

void savepoints_init(Actor *actor, void *room)
{
    static_assert(sizeof(Position *) + sizeof(Ordinal) <= 16 && sizeof(Chunk) <= 32, "what the room is made for");
    actor->savepoints.room = room;
    actor->member.positions = room;
    actor->savepoints.ordinals = (Ordinal *)(actor->member.positions + SAVEPOINTS_FIRST);
    actor->member.capacity = actor->savepoints.ordinal_capacity = SAVEPOINTS_FIRST;
    Chunk *chunk = (Chunk *)((unsigned char *)room + SAVEPOINTS_FIRST * 16);
    *chunk = (Chunk){.capacity = SAVEPOINT_CHUNK_BYTES};
    savepoint_chunk_use(actor, chunk);
}

static CHX_COLD void *grow(Actor *actor, void *old, size_t item_bytes, size_t count, size_t *capacity)
{
    chx_runtime *runtime = actor->session->runtime;
    size_t wanted = *capacity == 0 ? SAVEPOINTS_FIRST : *capacity * 4;
    void *grown = runtime_allocate(runtime, wanted * item_bytes);
    if (grown == NULL)
        guard_no_memory();
    if (old != NULL) {
        memcpy(grown, old, count * item_bytes);
        release(actor, old);
    }
    *capacity = wanted;
    return grown;
}

void savepoints_grow(Actor *actor)
{
    actor->member.positions =
        grow(actor, actor->member.positions, sizeof(Position *), actor->member.count, &actor->member.capacity);
}

void savepoint_chunk_push(Actor *actor, size_t bytes)
{
    Chunk *chunk = actor->savepoints.chunk;
    if (chunk != NULL)
        chunk->used = (size_t)(actor->savepoints.next - chunk->data);
    Chunk *grown = chunk_above(actor->session->runtime, chunk, bytes);
    if (grown == NULL)
        guard_no_memory();
    savepoint_chunk_use(actor, grown);
}

void savepoint_chunk_pop(Actor *actor)
{
    Chunk *chunk = actor->savepoints.chunk;
    if (chunk->next != NULL)
        chunk_free_above(actor->session->runtime, chunk);
    savepoint_chunk_use(actor, chunk->previous);
}

// ---- saving and restoring ----

// The variables before this one are owned by the frame, or the copy of one; this one and those after it are not. Now none is.
static CHX_COLD void frame_unshare(const chx_function *function, void *frame, const chx_variable *failed)
{
    const chx_variable *variable = function->variables;
    for (size_t count = function->owned_count - function->fixed_count; count > 0; count--, variable++) {
        void *value = (char *)frame + variable->offset;
        if (variable < failed)
            chx_value_drop(variable->type, value);
        else
            memset(value, 0, variable->type->size);
    }
}

typedef enum { SHARES_NOTHING, SHARES_SOMETHING, SHARES_FAILED } Sharing;

// What may change is owned by the copy of a frame, too. If that can't be done, nothing of it is, and it is zero.
static inline Sharing frame_share(const chx_function *function, void *frame, Fault *fault)
{
    Sharing sharing = SHARES_NOTHING;
    const chx_variable *variable = function->variables;
    for (size_t count = function->owned_count - function->fixed_count; count > 0; count--, variable++) {
        void *value = (char *)frame + variable->offset;
        // Many are not there yet, or no more.
        if (type_is_text(variable->type) ? *(const void **)value == NULL : value_is_zero(value, variable->type->size))
            continue;
        if (CHX_UNLIKELY(!value_own(variable->type, value, true, fault))) {
            frame_unshare(function, frame, variable);
            return SHARES_FAILED;
        }
        sharing = SHARES_SOMETHING;
    }
    return sharing;
}

// What the role goes back to, and what is saved for the next round.
static inline unsigned char *savepoint_part(Savepoint *savepoint, bool is_next)
{
    return savepoint->saved + (savepoint->next_is_first != is_next ? savepoint_second_at(savepoint->saved_bytes) : 0);
}

// The copy of a frame that this is the end of: the head of a frame does not change.
static inline void *frame_of(unsigned char *part)
{
    return part - sizeof(chx_frame);
}

// The savepoint is the newest, and not yet among the actor's: if something can't be copied it is gone, and the step ends.
// Not inline: most frames own nothing that may change, and need no room for a fault.
void savepoint_save_owned(Actor *actor, Savepoint *savepoint)
{
    Fault fault;
    Sharing sharing = frame_share(savepoint->frame->function, frame_of(savepoint->saved), &fault);
    savepoint->owns = sharing == SHARES_SOMETHING;
    if (CHX_UNLIKELY(sharing == SHARES_FAILED)) {
        savepoint_release(actor, savepoint);
        value_raise(&fault);
    }
}

void savepoint_drop_owned(Savepoint *savepoint)
{
    stack_drop_saved(savepoint->frame->function, frame_of(savepoint_part(savepoint, false)));
}

// ---- rounds ----

void savepoint_save_next(Savepoint *savepoint)
{
    Fault fault;
    unsigned char *next = savepoint_part(savepoint, true);
    if (savepoint->has_next)
        savepoint_drop_next(savepoint);
    memcpy(next, savepoint->frame + 1, savepoint->saved_bytes);
    Sharing sharing = frame_share(savepoint->frame->function, frame_of(next), &fault);
    if (CHX_UNLIKELY(sharing == SHARES_FAILED))
        value_raise(&fault);
    savepoint->has_next = true;
    savepoint->owns_next = sharing == SHARES_SOMETHING;
}

void savepoint_drop_next(Savepoint *savepoint)
{
    if (savepoint->owns_next)
        stack_drop_saved(savepoint->frame->function, frame_of(savepoint_part(savepoint, true)));
    savepoint->has_next = savepoint->owns_next = false;
}

void savepoint_begin_round(Actor *actor, Savepoint *savepoint)
{
    CHECK(savepoint->has_next);
    if (savepoint->owns)
        savepoint_drop_owned(savepoint);
    savepoint->next_is_first = !savepoint->next_is_first;
    savepoint->owns = savepoint->owns_next;
    savepoint->has_next = savepoint->owns_next = false;
    savepoint_count_round(actor, savepoint);
}

// What the frame owned is dropped.
static void savepoint_restore(Savepoint *savepoint)
{
    Fault fault;
    memcpy(savepoint->frame + 1, savepoint_part(savepoint, false), savepoint->saved_bytes);
    if (savepoint->owns && frame_share(savepoint->frame->function, savepoint->frame, &fault) == SHARES_FAILED)
        value_raise(&fault);
}

Savepoint *savepoint_add(Actor *actor, chx_frame *frame, const chx_checkpoint *checkpoint)
{
    savepoint_reserve(actor);
    uint32_t *ordinal = savepoint_ordinal(actor, savepoint_top(actor), checkpoint->name);
    Savepoint *savepoint = savepoint_allocate_for(actor, frame, checkpoint);
    savepoint_save(actor, savepoint);
    savepoint->position = (Position){.checkpoint = checkpoint, .ordinal = (*ordinal)++};
    savepoint_push(actor, savepoint);
    return savepoint;
}

// ---- faults of blocks that are decided elsewhere ----

BlockFault *block_fault_new(const chx_fault *fault)
{
    const char *role = fault->role != NULL ? fault->role : "", *why = fault->why != NULL ? fault->why : "";
    size_t why_size = strlen(why) + 1, role_size = strlen(role) + 1;
    BlockFault *made = malloc(sizeof *made + why_size + role_size);
    if (made == NULL)
        guard_no_memory();
    memcpy(made->why, why, why_size);
    memcpy(made->why + why_size, role, role_size);
    made->fault = *fault;
    made->fault.role = made->why + why_size;
    made->fault.why = made->why;
    return made;
}

void savepoint_drop_fault(Savepoint *savepoint)
{
    const chx_function *function = savepoint->frame->function;
    for (size_t i = 0; savepoint->fault != NULL && i < function->variable_count; i++) {
        chx_fault *fault = (chx_fault *)(void *)((char *)savepoint->frame + function->variables[i].offset);
        if (function->variables[i].type == &chx_type_fault && fault->why == savepoint->fault->why)
            memset(fault, 0, sizeof *fault);
    }
    free(savepoint->fault);
    savepoint->fault = NULL;
}

void savepoint_forget(Actor *actor)
{
    savepoint_drop_fault(savepoint_top(actor));
    savepoint_pop(actor);
}

// ---- ordinals and epochs ----

void savepoint_count_round(Actor *actor, Savepoint *savepoint)
{
    const Savepoint *of = savepoint;
    Savepoint *parent = actor->member.count > 1 ? savepoint_at(actor, actor->member.count - 2) : NULL;
    savepoint_forget_counts(actor, savepoint);
    *savepoint_ordinal(actor, parent, of->position.checkpoint->name) = of->position.ordinal + 1;
}

uint32_t *savepoint_other_ordinal(Actor *actor, Ordinals *ordinals, uint32_t site)
{
    Savepoints *of = &actor->savepoints;
    for (size_t i = ordinals->base; i < of->ordinal_count; i++)
        if (of->ordinals[i].site == site)
            return &of->ordinals[i].count;
    if (of->ordinal_count == of->ordinal_capacity)
        of->ordinals = grow(actor, of->ordinals, sizeof *of->ordinals, of->ordinal_count, &of->ordinal_capacity);
    of->ordinals[of->ordinal_count] = (Ordinal){site, 0};
    return &of->ordinals[of->ordinal_count++].count;
}

static void epoch_set(uint32_t *channel, uint32_t epoch, bool may_be_ahead)
{
    CHECK(*channel < epoch || may_be_ahead);
    if (*channel < epoch)
        *channel = epoch;
}

// Messages among the participants belong to the new epoch from now on; other channels go on as they were. A block may
// have been decided about while two roles, on their way to it, recovered from another failure: their channels are ahead
// already, at both ends, and nothing that was sent in the block's earlier attempts is in them.
void savepoint_set_epochs(Actor *actor, const chx_checkpoint *checkpoint, uint32_t epoch, bool is_late)
{
    const chx_role *role = actor->role;
    bool may_be_ahead = is_late || is_broken(BROKEN_NOTICE_TWICE);
    bool for_all = is_broken(BROKEN_ONE_SESSION_EPOCH);
    if (actor->session->arm != NULL) {
        arms_set_epochs(actor, checkpoint, epoch, epoch_set, may_be_ahead);
        return;
    }
    for (size_t i = 0; i < role->sends_to_count; i++)
        if (for_all || takes_part(checkpoint, role->sends_to[i])) {
            session_channel(actor->session, &actor->out[i]);
            epoch_set(&actor->out[i].head.sending.epoch, epoch, may_be_ahead);
        }
    for (size_t i = 0; i < role->receives_from_count; i++)
        if (for_all || takes_part(checkpoint, role->receives_from[i])) {
            session_channel(actor->session, actor->in[i]);
            epoch_set(&actor->in[i]->head.taking.epoch, epoch, may_be_ahead);
        }
}

// ---- going back ----

// To the frame of its newest savepoint.
static void unwind(void *closure)
{
    Actor *actor = closure;
    chx_frame *frame = savepoint_top(actor)->frame;
    chx_release(&actor->self);
    stack_unwind_to(actor, frame, true);
    if (!is_broken(BROKEN_NOT_RESTORED))
        stack_drop_changed(frame);
}

// Drops what the abandoned attempt holds. Memory of a role that has crashed may be damaged: then some is lost.
static void savepoint_unwind_to(Actor *actor, Savepoint *target)
{
    const chx_function *function = target->frame->function;
    bool owns =
        function->owned_count != function->fixed_count || (function->result != NULL && function->result->owning);
    if (actor->self.top == target->frame && actor->self.pool_size == 0 && !owns)
        return;
    Guard guard;
    if (!guard_run(&guard, actor, unwind, actor)) {
        log_write(actor->session->runtime, CHX_LOG_WARN, "%s's variables could not be released", actor->role->role);
        stack_unwind_to(actor, target->frame, false);
    }
}

// This one is the newest. If values could not be copied into another one, that is not among the actor's, but has its room.
static void savepoints_end_with(Actor *actor, Savepoint *savepoint)
{
    unsigned char *begin = (unsigned char *)savepoint, *end = begin + savepoint_bytes(savepoint->room_bytes);
    while (begin < actor->savepoints.chunk->data ||
           end > actor->savepoints.chunk->data + actor->savepoints.chunk->capacity)
        savepoint_chunk_pop(actor);
    actor->savepoints.next = end;
}

void savepoint_begin_again(Actor *actor, Savepoint *target)
{
    if (CHX_UNLIKELY(target->has_next))
        savepoint_drop_next(target);
    savepoints_end_with(actor, target);
    savepoint_unwind_to(actor, target);
    if (!is_broken(BROKEN_NOT_RESTORED))
        savepoint_restore(target);
    savepoint_forget_counts(actor, target);
    actor->self.wants = 0;
}

void savepoints_fini(Actor *actor)
{
    const Savepoints *of = &actor->savepoints;
    // Most roles have no checkpoints. What was loaded from a snapshot may have ordinals without one.
    if (actor->member.positions == NULL && of->chunk == NULL && of->ordinals == NULL && actor->restarts.times == NULL)
        return;
    release(actor, actor->member.positions);
    release(actor, actor->savepoints.ordinals);
    release(actor, actor->restarts.times);
    Chunk *chunk = actor->savepoints.chunk;
    while (chunk != NULL && chunk->previous != NULL)
        chunk = chunk->previous;
    if (chunk != NULL)
        chunk_free_above(actor->session->runtime, chunk);
    release(actor, chunk);
    actor->member.positions = NULL;
    actor->savepoints.chunk = NULL;
    actor->savepoints.ordinals = NULL;
}
