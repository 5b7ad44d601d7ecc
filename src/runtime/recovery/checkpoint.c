// checkpoint.c: see checkpoint.h.

#include "runtime/recovery/checkpoint.h"

#include "base/check.h"
#include "runtime/recovery/broken.h"
#include "runtime/value/codec.h"
#include "runtime/isolation/isolation.h"
#include "runtime/session/log.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/actor/observe.h"
#include "runtime/sched/pages.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"
#include "runtime/value/text.h"
#include "runtime/session/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What happens to the blocks of a session is serialised, by the actors' workers with these two. While all actors of the
// session are one worker's, no lock is needed, only that none of them is taken away meanwhile (session->locked_by_owner). Else
// it is the mutex.
// Not too early: each time that it did not last, it is tried later.
static CHX_COLD void blocks_try_pin(Session *session, Worker *worker)
{
    enum { FIRST_TRY = 32, LAST_TRY = 4096 };
    if (session->locks_until_pinned == 0)
        session->locks_left = session->locks_until_pinned = FIRST_TRY;
    else if (session->isolated == NULL && session_pin(session, worker, current()->actor))
        session->locks_left = session->locks_until_pinned =
            session->locks_until_pinned < LAST_TRY ? session->locks_until_pinned * 2 : LAST_TRY;
}

static inline void blocks_lock(Session *session)
{
    Current *here = current();
    Worker *worker = here->worker;
    if (owner_section_begin(worker)) {
        if (session_is_pinned_to(session, worker)) {
            session->locked_by_owner = true;
            return;
        }
        owner_section_end(worker);
    }
    here->busy++;
    scheduler_lock(session->runtime->platform, &session->block_lock);
    session->locked_by_owner = false;
    if (session->locks_left == 0)
        blocks_try_pin(session, worker);
    else
        session->locks_left--;
}

static inline void blocks_unlock(Session *session)
{
    Current *here = current();
    if (session->locked_by_owner) {
        owner_section_end(here->worker);
        return;
    }
    pthread_mutex_unlock(&session->block_lock);
    here->busy--;
}

// The usual case, in fewer steps: one worker has the session, and nothing has happened that the role has not seen. Then they
// are locked until owner_section_end. NULL: that is not so.
static inline Worker *blocks_lock_quietly(Actor *actor)
{
    Session *session = actor->session;
    Worker *worker = current()->worker;
    if (!owner_section_begin(worker))
        return NULL;
    if (session_is_pinned_to(session, worker) && !chx_generation_changed(&actor->self)) {
        session->locked_by_owner = true;
        return worker;
    }
    owner_section_end(worker);
    return NULL;
}

// ---- memory, last in first out ----

static bool is_in_room(const Actor *actor, const void *memory)
{
    const unsigned char *room = actor->checkpoint_room, *place = memory;
    return room != NULL && place >= room && place < room + CHECKPOINT_ROOM_BYTES;
}

static void release(Actor *actor, void *memory)
{
    if (memory != NULL && !is_in_room(actor, memory))
        runtime_release(actor->session->runtime, memory);
}

// From now on savepoints lie in this chunk.
static void savepoint_chunk_use(Actor *actor, SavepointChunk *chunk)
{
    actor->savepoint_chunk = chunk;
    // The first one is kept.
    actor->savepoint_begin = chunk->previous != NULL ? chunk->data : NULL;
    actor->savepoint_next = chunk->data + chunk->used;
    actor->savepoint_end = chunk->data + chunk->capacity;
}

void checkpoint_init(Actor *actor, void *room)
{
    static_assert(sizeof(Savepoint *) + sizeof(Ordinal) <= 16 && sizeof(SavepointChunk) <= 32,
                  "what the room is made for");
    actor->checkpoint_room = room;
    actor->savepoints = room;
    actor->ordinals = (Ordinal *)(actor->savepoints + SAVEPOINTS_FIRST);
    actor->savepoint_capacity = actor->ordinal_capacity = SAVEPOINTS_FIRST;
    SavepointChunk *chunk = (SavepointChunk *)((unsigned char *)room + SAVEPOINTS_FIRST * 16);
    *chunk = (SavepointChunk){.capacity = SAVEPOINT_CHUNK_BYTES};
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
    actor->savepoints =
        grow(actor, actor->savepoints, sizeof(Savepoint *), actor->savepoint_count, &actor->savepoint_capacity);
}

void ordinals_grow(Actor *actor)
{
    actor->ordinals =
        grow(actor, actor->ordinals, sizeof *actor->ordinals, actor->ordinal_count, &actor->ordinal_capacity);
}

enum { CHUNK_BYTES = PAGE_BYTES - sizeof(SavepointChunk) }; // unless a savepoint needs more

static void savepoint_chunk_release(Actor *actor, SavepointChunk *chunk)
{
    if (chunk->capacity == CHUNK_BYTES)
        page_give(actor->session->runtime, chunk);
    else
        release(actor, chunk);
}

void savepoint_chunk_push(Actor *actor, size_t bytes)
{
    SavepointChunk *chunk = actor->savepoint_chunk, *grown = actor->spare_savepoint_chunk;
    if (chunk != NULL)
        chunk->used = (size_t)(actor->savepoint_next - chunk->data);
    size_t capacity = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    actor->spare_savepoint_chunk = NULL;
    if (grown != NULL && grown->capacity < bytes) {
        savepoint_chunk_release(actor, grown);
        grown = NULL;
    }
    if (grown == NULL) {
        chx_runtime *runtime = actor->session->runtime;
        grown = capacity == CHUNK_BYTES ? page_take(runtime) : runtime_allocate(runtime, sizeof *grown + capacity);
        if (grown == NULL)
            guard_no_memory();
        grown->capacity = capacity;
    }
    grown->previous = chunk;
    grown->used = 0;
    savepoint_chunk_use(actor, grown);
}

void savepoint_chunk_pop(Actor *actor)
{
    SavepointChunk *chunk = actor->savepoint_chunk;
    // One empty chunk is kept: a block at the edge of a chunk must not allocate each time.
    if (actor->spare_savepoint_chunk != NULL)
        savepoint_chunk_release(actor, actor->spare_savepoint_chunk);
    actor->spare_savepoint_chunk = chunk;
    savepoint_chunk_use(actor, chunk->previous);
}

// ---- saving and restoring ----

enum { SHARE_ON_STACK_BYTES = 256 };

// A value that has to be copied, in place of its bytes.
static bool value_share_copy(const chx_type *type, void *value, Fault *fault)
{
    _Alignas(16) unsigned char small[SHARE_ON_STACK_BYTES];
    unsigned char *copy = type->size <= sizeof small ? small : malloc(type->size);
    fault->kind = CHX_FAULT_NONE;
    bool is_copied = copy != NULL && value_copy(type, copy, value, fault);
    if (is_copied)
        memcpy(value, copy, type->size);
    if (copy != small)
        free(copy);
    return is_copied;
}

// The first `count` parts are owned, the others not: now nothing is.
static bool parts_unshare(const chx_type *type, char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool is_array = type->kind == CHX_KIND_ARRAY;
        const chx_type *part = is_array ? type->element : type->fields[i].type;
        chx_value_drop(part, bytes + (is_array ? i * part->size : type->fields[i].offset));
    }
    memset(bytes, 0, type->size);
    return false;
}

// The bytes of an owned value were copied: makes the copy an owner too. Strings are immutable and shared. False: it could not
// be copied, as in value_copy, and nothing of it is owned.
static bool value_share(const chx_type *type, void *value, Fault *fault)
{
    char *bytes = value;
    switch (type->kind) {
    case CHX_KIND_CSTRING:
        text_cstring_keep(*(const char **)value);
        break;
    case CHX_KIND_STR:
        chx_str_keep(*(chx_str *)value);
        break;
    case CHX_KIND_BYTES:
        chx_bytes_keep(*(chx_bytes *)value);
        break;
    case CHX_KIND_STRUCT:
        for (size_t i = 0; i < type->count; i++)
            if (type->fields[i].type->owning &&
                !value_share(type->fields[i].type, bytes + type->fields[i].offset, fault))
                return parts_unshare(type, bytes, i);
        break;
    case CHX_KIND_ARRAY:
        for (size_t i = 0; i < type->count; i++)
            if (!value_share(type->element, bytes + i * type->element->size, fault))
                return parts_unshare(type, bytes, i);
        break;
    default:
        return value_share_copy(type, value, fault);
    }
    return true;
}

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

static CHX_COLD CHX_NORETURN void share_raise(const Fault *fault)
{
    if (fault->kind == CHX_FAULT_NONE)
        guard_no_memory();
    guard_raise(fault->kind, fault->signal, fault->site, "%s", fault->why);
}

typedef enum { SHARES_NOTHING, SHARES_SOMETHING, SHARES_FAILED } Sharing;

// What may change is owned by the copy, too. If that can't be done, nothing of it is, and it is zero.
static inline Sharing frame_share(const chx_function *function, void *frame, Fault *fault)
{
    Sharing sharing = SHARES_NOTHING;
    const chx_variable *variable = function->variables;
    for (size_t count = function->owned_count - function->fixed_count; count > 0; count--, variable++) {
        void *value = (char *)frame + variable->offset;
        // Many strings are not there yet.
        if (type_is_text(variable->type) && *(const void **)value == NULL)
            continue;
        if (CHX_UNLIKELY(!value_share(variable->type, value, fault))) {
            frame_unshare(function, frame, variable);
            return SHARES_FAILED;
        }
        sharing = SHARES_SOMETHING;
    }
    return sharing;
}

// The copy that `saved` is the end of: the head of a frame does not change.
static inline void *savepoint_frame(Savepoint *savepoint)
{
    return savepoint->saved - sizeof(chx_frame);
}

// The savepoint is the newest, and not yet among the actor's: if something can't be copied it is gone, and the step ends.
// Not inline: most frames own nothing that may change, and need no room for a fault.
static __attribute__((noinline)) void save_owned(Actor *actor, Savepoint *savepoint)
{
    Fault fault;
    Sharing sharing = frame_share(savepoint->frame->function, savepoint_frame(savepoint), &fault);
    savepoint->owns = sharing == SHARES_SOMETHING;
    if (CHX_UNLIKELY(sharing == SHARES_FAILED)) {
        savepoint_release(actor, savepoint);
        share_raise(&fault);
    }
}

static inline void save(Actor *actor, Savepoint *savepoint)
{
    const chx_function *function = savepoint->frame->function;
    memcpy(savepoint->saved, savepoint->frame + 1, savepoint->saved_bytes);
    savepoint->owns = false;
    if (function->owned_count != function->fixed_count)
        save_owned(actor, savepoint);
}

void savepoint_save(Actor *actor, Savepoint *savepoint)
{
    save(actor, savepoint);
}

static inline void savepoint_drop_saved(Savepoint *savepoint)
{
    // In another process it is no frame.
    if (savepoint->frame != NULL && savepoint->owns)
        stack_drop_saved(savepoint->frame->function, savepoint_frame(savepoint));
}

static void memory_is_lost(const Actor *actor, const Guard *guard)
{
    guard_landed(guard);
    log_write(actor->session->runtime, CHX_LOG_WARN, "%s's variables could not be released", actor->role->role);
}

// Of the block's own frame. A role that has crashed may have damaged it: then something is lost.
static __attribute__((noinline)) void savepoint_drop_changed(Actor *actor, Savepoint *savepoint)
{
    Guard guard;
    guard_enter(&guard, actor);
    if (sigsetjmp(guard.jump, 0) == 0)
        stack_drop_changed(savepoint->frame);
    else
        memory_is_lost(actor, &guard);
    guard_leave(&guard);
}

void savepoint_restore(Actor *actor, Savepoint *savepoint)
{
    const chx_function *function = savepoint->frame->function;
    if (is_broken(BROKEN_NOT_RESTORED))
        return;
    if (function->owned_count != function->fixed_count || (function->result != NULL && function->result->owning))
        savepoint_drop_changed(actor, savepoint);
    memcpy(savepoint->frame + 1, savepoint->saved, savepoint->saved_bytes);
    Fault fault;
    if (savepoint->owns && frame_share(function, savepoint->frame, &fault) == SHARES_FAILED)
        share_raise(&fault);
}

// ---- savepoints ----

static inline void pop(Actor *actor, Savepoint *savepoint)
{
    actor->savepoint_count--;
    actor->ordinal_count = savepoint->inner.base;
    actor->self.level--;
    if (CHX_UNLIKELY(actor->uncount_count != 0))
        effect_left(actor, actor->self.level);
    savepoint_drop_saved(savepoint);
    savepoint_release(actor, savepoint);
}

void savepoint_pop(Actor *actor)
{
    pop(actor, savepoint_top(actor));
}

uint32_t *savepoint_other_ordinal(Actor *actor, Ordinals *ordinals, uint32_t site)
{
    for (size_t i = ordinals->base; i < actor->ordinal_count; i++)
        if (actor->ordinals[i].site == site)
            return &actor->ordinals[i].count;
    if (actor->ordinal_count == actor->ordinal_capacity)
        ordinals_grow(actor);
    actor->ordinals[actor->ordinal_count] = (Ordinal){site, 0};
    return &actor->ordinals[actor->ordinal_count++].count;
}

// Its block went to another attempt.
static bool savepoint_is_behind(const Savepoint *savepoint)
{
    return savepoint->block != NULL && savepoint->block->attempt != savepoint->attempt;
}

// The outermost block of this actor that went to another attempt up to this alarm, or NULL. The blocks are locked.
static __attribute__((noinline)) Savepoint *savepoint_rolled_back(Actor *actor, uint32_t generation)
{
    Session *session = actor->session;
    size_t outermost = actor->savepoint_count;
    if (generation - actor->self.generation_seen > ROLLBACKS_REMEMBERED) {
        for (size_t i = actor->savepoint_count; i > 0; i--)
            if (savepoint_is_behind(actor->savepoints[i - 1]))
                outermost = i - 1;
    } else {
        for (uint32_t i = actor->self.generation_seen; i != generation; i++) {
            size_t depth = session->rollback_depths[i % ROLLBACKS_REMEMBERED];
            if (depth < outermost && savepoint_is_behind(actor->savepoints[depth]))
                outermost = depth;
        }
    }
    return outermost < actor->savepoint_count ? actor->savepoints[outermost] : NULL;
}

static bool takes_part(const chx_checkpoint *checkpoint, unsigned role)
{
    enum { FEW = 8 };
    const unsigned *participants = checkpoint->participants;
    size_t low = 0, high = checkpoint->participant_count;
    while (high - low > FEW) {
        size_t middle = low + (high - low) / 2;
        if (participants[middle] <= role)
            low = middle;
        else
            high = middle;
    }
    while (low < high && participants[low] < role)
        low++;
    return low < high && participants[low] == role;
}

// Messages among the participants belong to the new epoch from now on; other channels go on as they were. A block may
// have been decided about while two roles, on their way to it, recovered from another failure: their channels are ahead
// already, at both ends, and nothing that was sent in the block's earlier attempts is in them.
void savepoint_set_epochs(Actor *actor, const chx_checkpoint *checkpoint, uint32_t epoch, bool is_late)
{
    const chx_role *role = actor->role;
    bool may_be_ahead = is_late || is_broken(BROKEN_NOTICE_TWICE);
    for (size_t i = 0; i < role->sends_to_count; i++) {
        uint32_t *sending = &actor->out[i].head.sending.epoch;
        if (!takes_part(checkpoint, role->sends_to[i]) && !is_broken(BROKEN_ONE_SESSION_EPOCH))
            continue;
        CHECK(*sending < epoch || may_be_ahead);
        if (*sending < epoch)
            *sending = epoch;
    }
    for (size_t i = 0; i < role->receives_from_count; i++) {
        uint32_t *taking = &actor->in[i]->head.taking.epoch;
        if (!takes_part(checkpoint, role->receives_from[i]) && !is_broken(BROKEN_ONE_SESSION_EPOCH))
            continue;
        CHECK(*taking < epoch || may_be_ahead);
        if (*taking < epoch)
            *taking = epoch;
    }
}

// An attempt of the newest savepoint begins: at which label.
uint32_t savepoint_attempt_begins(const Savepoint *savepoint)
{
    return savepoint->attempt > savepoint->checkpoint->retries ? savepoint->checkpoint->rescue_at
                                                               : savepoint->checkpoint->body_at;
}

static void wants_nothing(Actor *actor)
{
    actor->self.wants = 0;
}

// Something must be done before this role enters or leaves a block. The blocks are locked.
static inline bool actor_must_look(Actor *actor)
{
    uint32_t generation = atomic_load(&actor->session->generation);
    return generation != actor->self.generation_seen &&
           (session_is_stopping(actor->session) || savepoint_rolled_back(actor, generation) != NULL);
}

// ---- what an observer sees: the callers have asked whether there is one ----

// The beginning and the end of a block are places where a role can crash.
static void observe_edge(Actor *actor, const chx_checkpoint *checkpoint)
{
    actor->self.site = checkpoint->site;
    observe_boundary(actor);
}

static TraceBlock savepoint_position(const Savepoint *savepoint, size_t depth, uint32_t epoch)
{
    return (TraceBlock){.site = savepoint->checkpoint->site,
                        .attempt = savepoint->attempt,
                        .epoch = epoch,
                        .depth = (uint32_t)depth,
                        .frame = savepoint->frame};
}

static void observe_entered(Actor *actor, uint32_t epoch)
{
    TraceBlock position = savepoint_position(savepoint_top(actor), actor->savepoint_count - 1, epoch);
    trace_checkpoint_enter(actor, &position);
}

static void observe_end(Actor *actor, bool arrives, bool leaves)
{
    TraceBlock position = savepoint_position(savepoint_top(actor), actor->savepoint_count - 1, 0);
    if (arrives)
        trace_checkpoint_arrive(actor, &position);
    if (leaves)
        trace_checkpoint_leave(actor, &position);
}

// Back at the savepoint, which is the newest. A fresh instance has not begun yet.
static void observe_back(Actor *actor, uint32_t epoch, const char *why)
{
    TraceBlock position = savepoint_position(savepoint_top(actor), actor->savepoint_count - 1, epoch);
    position.why = why;
    if (actor->begun)
        trace_checkpoint_recover(actor, &position);
    else
        trace_checkpoint_restart(actor, &position);
}

// ---- entering and leaving ----

// Not entered: the role is rolled back elsewhere, or something is missing, which is named.
static CHX_COLD uint32_t savepoint_stays_out(Actor *actor, Savepoint *savepoint, const char *lacks)
{
    uint32_t site = savepoint->checkpoint->site;
    savepoint_drop_saved(savepoint);
    savepoint_release(actor, savepoint);
    if (lacks != NULL)
        guard_raise(CHX_FAULT_SYSTEM, 0, site, "%s", lacks);
    wants_nothing(actor);
    return 0;
}

// In any case.
static __attribute__((noinline)) uint32_t savepoint_enter(Actor *actor, Savepoint *savepoint, Block *parent,
                                                          uint32_t *ordinal)
{
    Session *session = actor->session;
    const chx_checkpoint *checkpoint = savepoint->checkpoint;
    blocks_lock(session);
    Block *block = NULL;
    bool is_rolled_back = actor_must_look(actor);
    if (!is_rolled_back)
        block = block_enter(session, parent, checkpoint, *ordinal);
    uint32_t attempt = block != NULL ? block->attempt : 0, epoch = block != NULL ? block->epoch : 0;
    const char *lacks = block == NULL && !is_rolled_back ? session->lacks : NULL;
    blocks_unlock(session);
    if (block == NULL)
        return savepoint_stays_out(actor, savepoint, lacks);
    if (is_broken(BROKEN_LATE_MARK_FORGOTTEN))
        attempt = 0;
    savepoint->block = block;
    savepoint_push(actor, savepoint, attempt, (*ordinal)++);
    if (actor->self.observed != 0)
        observe_entered(actor, epoch);
    if (attempt == 0)
        return checkpoint->body_at;
    // Others have failed here already: this role begins where they are.
    savepoint_set_epochs(actor, checkpoint, epoch, true);
    uint32_t at = savepoint_attempt_begins(savepoint);
    if (is_broken(BROKEN_NOTICE_TWICE)) {
        savepoint->attempt--;
        actor->self.generation_seen -= ROLLBACKS_REMEMBERED + 1;
    }
    return at;
}

// In the usual one: the first attempt, and the blocks can be locked quietly. False: that is not so.
CHX_INLINE bool savepoint_enter_quietly(Actor *actor, Savepoint *savepoint, Block *parent, uint32_t *ordinal)
{
    Worker *worker = blocks_lock_quietly(actor);
    if (worker == NULL)
        return false;
    Session *session = actor->session;
    Block *block = block_find(parent != NULL ? parent->children : session->blocks, savepoint->checkpoint, *ordinal);
    if (block == NULL)
        block = block_make(session, parent, savepoint->checkpoint, *ordinal);
    bool is_usual = block != NULL && block->attempt == 0;
    if (is_usual)
        block->references++;
    owner_section_end(worker);
    if (!is_usual)
        return false;
    savepoint->block = block;
    savepoint_push(actor, savepoint, 0, (*ordinal)++);
    return true;
}

// Compiled twice: for roles that nobody looks at, and for the others (enter_seen, leave_seen), who may be in a process of their own.
CHX_INLINE uint32_t enter(Actor *actor, chx_frame *frame, const chx_checkpoint *checkpoint, bool is_observed)
{
    if (is_observed)
        observe_edge(actor, checkpoint);
    savepoint_reserve(actor);
    Savepoint *outer = savepoint_top(actor);
    uint32_t *ordinal = savepoint_ordinal(actor, outer, checkpoint->site);
    Savepoint *savepoint = savepoint_allocate(actor, frame->function->frame_size - sizeof *frame);
    Block *parent = outer != NULL ? outer->block : NULL;
    savepoint->frame = frame;
    savepoint->checkpoint = checkpoint;
    save(actor, savepoint); // before the block knows of this role: a copy may fail
    if (!savepoint_enter_quietly(actor, savepoint, parent, ordinal))
        return savepoint_enter(actor, savepoint, parent, ordinal);
    if (is_observed)
        observe_entered(actor, 0);
    return checkpoint->body_at;
}

static __attribute__((noinline)) uint32_t enter_seen(Actor *actor, chx_frame *frame, const chx_checkpoint *checkpoint)
{
    return actor->process != NULL ? process_enter(actor, frame, checkpoint) : enter(actor, frame, checkpoint, true);
}

uint32_t chx_enter(chx_self *self, chx_frame *frame, const chx_checkpoint *checkpoint)
{
    Actor *actor = (Actor *)self;
    if (CHX_UNLIKELY(self->observed != 0 || actor->process != NULL))
        return enter_seen(actor, frame, checkpoint);
    return enter(actor, frame, checkpoint, false);
}

// At the end of the current attempt: leaves the block if all are there. The blocks are locked.
CHX_INLINE void savepoint_meet(Session *session, Savepoint *savepoint)
{
    Block *block = savepoint->block;
    CHECK(block->attempt == savepoint->attempt || is_broken(BROKEN_LATE_MARK_FORGOTTEN));
    if (!savepoint->arrived) {
        savepoint->arrived = true;
        block_arrive(session, block, savepoint->checkpoint->position);
        if (savepoint->is_done)
            return;
    }
    savepoint->is_done = atomic_load_explicit(&block->done, memory_order_relaxed) || is_broken(BROKEN_MEETING_SKIPPED);
    if (savepoint->is_done)
        block_leave(session, block, !is_broken(BROKEN_MEETING_SKIPPED));
}

// In any case. False: something has happened, the role does not arrive.
static __attribute__((noinline)) bool savepoint_leave(Actor *actor, Savepoint *savepoint)
{
    Session *session = actor->session;
    blocks_lock(session);
    bool generation_changed = actor_must_look(actor);
    if (generation_changed) {
        wants_nothing(actor);
    } else {
        savepoint_meet(session, savepoint);
        actor->self.wants = (uintptr_t)savepoint->block | WANTS_BLOCK;
    }
    blocks_unlock(session);
    return !generation_changed;
}

CHX_INLINE bool leave(Actor *actor, const chx_checkpoint *checkpoint, bool is_observed)
{
    Savepoint *savepoint = savepoint_top(actor);
    CHECK(savepoint != NULL && savepoint->checkpoint == checkpoint);
    bool arrives = false;
    if (!savepoint->is_done) {
        arrives = !savepoint->arrived;
        if (is_observed && arrives)
            observe_edge(actor, checkpoint);
        Worker *worker = blocks_lock_quietly(actor);
        if (worker != NULL) {
            savepoint_meet(actor->session, savepoint);
            actor->self.wants = (uintptr_t)savepoint->block | WANTS_BLOCK;
            owner_section_end(worker);
        } else if (!savepoint_leave(actor, savepoint)) {
            arrives = false;
        }
    }
    if (is_observed)
        observe_end(actor, arrives, savepoint->is_done);
    if (!savepoint->is_done)
        return false;
    pop(actor, savepoint);
    return true;
}

static __attribute__((noinline)) bool leave_seen(Actor *actor, const chx_checkpoint *checkpoint)
{
    return actor->process != NULL ? process_leave(actor, checkpoint) : leave(actor, checkpoint, true);
}

bool chx_leave(chx_self *self, const chx_checkpoint *checkpoint)
{
    Actor *actor = (Actor *)self;
    if (CHX_UNLIKELY(self->observed != 0 || actor->process != NULL))
        return leave_seen(actor, checkpoint);
    return leave(actor, checkpoint, false);
}

chx_fault chx_fault_here(chx_self *self)
{
    Actor *actor = (Actor *)self;
    if (actor->process != NULL)
        return process_fault(actor);
    Savepoint *savepoint = savepoint_top(actor);
    CHECK(savepoint != NULL && savepoint->attempt > 0);
    blocks_lock(actor->session);
    chx_fault fault = savepoint->block->fault->fault;
    blocks_unlock(actor->session);
    return fault;
}

// ---- going back ----

// Drops what the abandoned attempt holds. Memory of a role that has crashed may be damaged: then some is lost.
void savepoint_unwind_to(Actor *actor, Savepoint *target)
{
    if (actor->self.top == target->frame && actor->self.pool_size == 0)
        return;
    Guard guard;
    guard_enter(&guard, actor);
    if (sigsetjmp(guard.jump, 0) == 0) {
        chx_release(&actor->self);
        stack_unwind_to(actor, target->frame, true);
    } else {
        memory_is_lost(actor, &guard);
        stack_unwind_to(actor, target->frame, false);
    }
    guard_leave(&guard);
}

// This one is the newest. If values could not be copied into another one, that is not among the actor's, but has its room.
static void savepoints_end_with(Actor *actor, Savepoint *savepoint)
{
    unsigned char *begin = (unsigned char *)savepoint, *end = begin + savepoint_bytes(savepoint->saved_bytes);
    while (begin < actor->savepoint_chunk->data ||
           end > actor->savepoint_chunk->data + actor->savepoint_chunk->capacity)
        savepoint_chunk_pop(actor);
    actor->savepoint_next = end;
}

// Out of its block, which is still there or not. The blocks are locked.
static void savepoint_give_up(Session *session, Savepoint *savepoint)
{
    if (savepoint->block != NULL)
        block_leave(session, savepoint->block, false);
}

void checkpoint_roll_back(Actor *actor, uint32_t generation)
{
    Session *session = actor->session;
    blocks_lock(session);
    Savepoint *target = savepoint_rolled_back(actor, generation);
    actor->self.generation_seen = generation;
    uint32_t epoch = 0;
    char why[REPORT_WHY_SIZE];
    const char *lacks = NULL;
    if (target != NULL) {
        if (actor->self.observed != 0)
            strcpy(why, target->block->fault->why);
        for (size_t i = actor->savepoint_count; actor->savepoints[i - 1] != target; i--)
            savepoint_give_up(session, actor->savepoints[i - 1]);
        target->attempt = target->block->attempt;
        epoch = target->block->epoch;
        if (!block_back(session, target->block))
            lacks = session->lacks;
    }
    blocks_unlock(session);
    if (target == NULL)
        return;
    while (savepoint_top(actor) != target)
        savepoint_pop(actor);
    savepoints_end_with(actor, target);
    savepoint_unwind_to(actor, target);
    savepoint_restore(actor, target);
    target->arrived = false;
    savepoint_forget_counts(actor, target);
    wants_nothing(actor);
    savepoint_set_epochs(actor, target->checkpoint, epoch, false);
    target->frame->at = savepoint_attempt_begins(target);
    if (lacks != NULL)
        guard_raise(CHX_FAULT_SYSTEM, 0, target->checkpoint->site, "%s", lacks);
    if (actor->self.observed != 0)
        observe_back(actor, epoch, why);
}

// The blocks are locked.
bool savepoint_restart_is_allowed(Actor *actor, Fault *fault)
{
    static const char too_many[] = "and more restarts than the cast allows";
    if (actor->restarts_max == 0)
        return true;
    if (actor->restarts_period_ms == 0)
        return actor->restarts < actor->restarts_max || fault_add(fault, too_many);
    uint64_t now_ns = actor->session->runtime->platform->now_ns();
    uint64_t period_ns = (uint64_t)actor->restarts_period_ms * 1000000;
    uint64_t limit = actor->restarts_max < RESTARTS_REMEMBERED ? actor->restarts_max : RESTARTS_REMEMBERED;
    if (actor->restart_times == NULL) {
        actor->restart_times = runtime_allocate(actor->session->runtime, limit * sizeof *actor->restart_times);
        if (actor->restart_times == NULL)
            return fault_add(fault, "and no memory for a restart");
    }
    uint64_t *oldest = &actor->restart_times[actor->restarts % limit];
    if (actor->restarts >= limit && now_ns - *oldest < period_ns)
        return fault_add(fault, too_many);
    *oldest = now_ns;
    return true;
}

// The innermost block that has an attempt left. A failure in a rescue is the enclosing block's.
Savepoint *savepoint_in_charge(Actor *actor)
{
    if (is_broken(BROKEN_WRONG_BLOCK) && block_can_recover(actor->savepoints[0]->block, actor->savepoints[0]->attempt))
        return actor->savepoints[0];
    for (size_t i = actor->savepoint_count; i > 0; i--)
        if (!actor->savepoints[i - 1]->is_done &&
            block_can_recover(actor->savepoints[i - 1]->block, actor->savepoints[i - 1]->attempt))
            return actor->savepoints[i - 1];
    return NULL;
}

bool checkpoint_recover(Actor *actor, Fault *fault)
{
    Session *session = actor->session;
    if (actor->savepoint_count == 0 || fault->kind == CHX_FAULT_SYSTEM)
        return false;
    bool recovered = false;
    int line = actor_site_line(actor, fault->site);
    blocks_lock(session);
    // Called back already: it has died in an abandoned attempt, and nothing else changes.
    bool is_abandoned = savepoint_rolled_back(actor, atomic_load(&session->generation)) != NULL &&
                        !is_broken(BROKEN_DEATH_CHARGED_TWICE);
    Savepoint *savepoint = is_abandoned ? NULL : savepoint_in_charge(actor);
    if (!session_is_stopping(session) && (is_abandoned || savepoint != NULL)) {
        recovered = savepoint_restart_is_allowed(actor, fault) &&
                    (is_abandoned ||
                     block_decide(session, savepoint->block, actor->role->role, fault, actor->role->file, line));
    }
    if (recovered) {
        actor->restarts++;
        session->restarts++;
        actor->begun = false;
    }
    blocks_unlock(session);
    if (recovered)
        log_write(session->runtime, CHX_LOG_INFO, "%s:%d: %s failed and is restarted: %s", actor->role->file, line,
                  actor->role->role, fault->why);
    return recovered;
}

void checkpoint_abandon(Actor *actor)
{
    Session *session = actor->session;
    while (actor->savepoint_count > 0) {
        blocks_lock(session);
        savepoint_give_up(session, savepoint_top(actor));
        blocks_unlock(session);
        savepoint_pop(actor);
    }
}

void checkpoint_fini(Actor *actor)
{
    void *pieces[] = {actor->savepoints, actor->ordinals, actor->restart_times};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        release(actor, pieces[i]);
    if (actor->spare_savepoint_chunk != NULL)
        savepoint_chunk_release(actor, actor->spare_savepoint_chunk);
    for (SavepointChunk *chunk = actor->savepoint_chunk, *previous; chunk != NULL; chunk = previous) {
        previous = chunk->previous;
        savepoint_chunk_release(actor, chunk);
    }
    actor->savepoints = NULL;
    actor->savepoint_chunk = NULL;
}
