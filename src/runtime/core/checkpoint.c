// checkpoint.c: see checkpoint.h.

#include "runtime/core/checkpoint.h"

#include "base/check.h"
#include "runtime/core/broken.h"
#include "runtime/core/codec.h"
#include "runtime/core/isolation.h"
#include "runtime/core/log.h"
#include "runtime/core/mark.h"
#include "runtime/core/observe.h"
#include "runtime/core/pages.h"
#include "runtime/core/runtime.h"
#include "runtime/core/session.h"
#include "runtime/core/text.h"
#include "runtime/core/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What happens to the blocks of a session is serialised, by the actors' workers with these two. While all actors of the
// session are one worker's, no lock is needed, only that none of them is taken away meanwhile (session->is_alone). Else
// it is the mutex.
// Not too early: each time that it did not last, it is tried later.
static CHX_COLD void blocks_try_confine(Session *session, Worker *worker)
{
    enum { FIRST_TRY = 32, LAST_TRY = 4096 };
    if (session->locks_until_confined == 0)
        session->locks_left = session->locks_until_confined = FIRST_TRY;
    else if (session->house == NULL && session_confine(session, worker, current()->actor))
        session->locks_left = session->locks_until_confined =
            session->locks_until_confined < LAST_TRY ? session->locks_until_confined * 2 : LAST_TRY;
}

static inline void blocks_lock(Session *session)
{
    Current *here = current();
    Worker *worker = here->worker;
    if (worker_enter(worker)) {
        if (session_is_alone(session, worker)) {
            session->is_alone = true;
            return;
        }
        worker_leave(worker);
    }
    here->busy++;
    scheduler_lock(session->runtime->platform, &session->block_lock);
    session->is_alone = false;
    if (session->locks_left == 0)
        blocks_try_confine(session, worker);
    else
        session->locks_left--;
}

static inline void blocks_unlock(Session *session)
{
    Current *here = current();
    if (session->is_alone) {
        worker_leave(here->worker);
        return;
    }
    pthread_mutex_unlock(&session->block_lock);
    here->busy--;
}

// The usual case, in fewer steps: one worker has the session, and nothing has happened that the role has not seen. Then they
// are locked until worker_leave. NULL: that is not so.
static inline Worker *blocks_lock_quietly(Actor *actor)
{
    Session *session = actor->session;
    Worker *worker = current()->worker;
    if (!worker_enter(worker))
        return NULL;
    if (session_is_alone(session, worker) && !chx_has_news(&actor->self)) {
        session->is_alone = true;
        return worker;
    }
    worker_leave(worker);
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

// From now on marks lie in this chunk.
static void mark_chunk_use(Actor *actor, MarkChunk *chunk)
{
    actor->mark_chunk = chunk;
    // The first one is kept.
    actor->mark_begin = chunk->previous != NULL ? chunk->data : NULL;
    actor->mark_next = chunk->data + chunk->used;
    actor->mark_end = chunk->data + chunk->capacity;
}

void checkpoint_init(Actor *actor, void *room)
{
    static_assert(sizeof(Mark *) + sizeof(Ordinal) <= 16 && sizeof(MarkChunk) <= 32, "what the room is made for");
    actor->checkpoint_room = room;
    actor->marks = room;
    actor->ordinals = (Ordinal *)(actor->marks + MARKS_FIRST);
    actor->mark_capacity = actor->ordinal_capacity = MARKS_FIRST;
    MarkChunk *chunk = (MarkChunk *)((unsigned char *)room + MARKS_FIRST * 16);
    *chunk = (MarkChunk){.capacity = MARK_CHUNK_BYTES};
    mark_chunk_use(actor, chunk);
}

static CHX_COLD void *grow(Actor *actor, void *old, size_t item_bytes, size_t count, size_t *capacity)
{
    chx_runtime *runtime = actor->session->runtime;
    size_t wanted = *capacity == 0 ? MARKS_FIRST : *capacity * 4;
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

void marks_grow(Actor *actor)
{
    actor->marks = grow(actor, actor->marks, sizeof(Mark *), actor->mark_count, &actor->mark_capacity);
}

void ordinals_grow(Actor *actor)
{
    actor->ordinals =
        grow(actor, actor->ordinals, sizeof *actor->ordinals, actor->ordinal_count, &actor->ordinal_capacity);
}

enum { CHUNK_BYTES = PAGE_BYTES - sizeof(MarkChunk) }; // unless a mark needs more

static void mark_chunk_release(Actor *actor, MarkChunk *chunk)
{
    if (chunk->capacity == CHUNK_BYTES)
        page_give(actor->session->runtime, chunk);
    else
        release(actor, chunk);
}

void mark_chunk_push(Actor *actor, size_t bytes)
{
    MarkChunk *chunk = actor->mark_chunk, *grown = actor->spare_mark_chunk;
    if (chunk != NULL)
        chunk->used = (size_t)(actor->mark_next - chunk->data);
    size_t capacity = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    actor->spare_mark_chunk = NULL;
    if (grown != NULL && grown->capacity < bytes) {
        mark_chunk_release(actor, grown);
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
    mark_chunk_use(actor, grown);
}

void mark_chunk_pop(Actor *actor)
{
    MarkChunk *chunk = actor->mark_chunk;
    // One empty chunk is kept: a block at the edge of a chunk must not allocate each time.
    if (actor->spare_mark_chunk != NULL)
        mark_chunk_release(actor, actor->spare_mark_chunk);
    actor->spare_mark_chunk = chunk;
    mark_chunk_use(actor, chunk->previous);
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
static inline void *mark_frame(Mark *mark)
{
    return mark->saved - sizeof(chx_frame);
}

// The mark is the newest, and not yet among the actor's: if something can't be copied it is gone, and the step ends.
// Not inline: most frames own nothing that may change, and need no room for a fault.
static __attribute__((noinline)) void save_owned(Actor *actor, Mark *mark)
{
    Fault fault;
    Sharing sharing = frame_share(mark->frame->function, mark_frame(mark), &fault);
    mark->owns = sharing == SHARES_SOMETHING;
    if (CHX_UNLIKELY(sharing == SHARES_FAILED)) {
        mark_release(actor, mark);
        share_raise(&fault);
    }
}

static inline void save(Actor *actor, Mark *mark)
{
    const chx_function *function = mark->frame->function;
    memcpy(mark->saved, mark->frame + 1, mark->saved_bytes);
    mark->owns = false;
    if (function->owned_count != function->fixed_count)
        save_owned(actor, mark);
}

void mark_save(Actor *actor, Mark *mark)
{
    save(actor, mark);
}

static inline void mark_drop_saved(Mark *mark)
{
    // In another process it is no frame.
    if (mark->frame != NULL && mark->owns)
        stack_drop_saved(mark->frame->function, mark_frame(mark));
}

static void memory_is_lost(const Actor *actor, const Guard *guard)
{
    guard_landed(guard);
    log_write(actor->session->runtime, CHX_LOG_WARN, "%s's variables could not be released", actor->role->role);
}

// Of the block's own frame. A role that has crashed may have damaged it: then something is lost.
static __attribute__((noinline)) void mark_drop_changed(Actor *actor, Mark *mark)
{
    Guard guard;
    guard_enter(&guard, actor);
    if (sigsetjmp(guard.jump, 0) == 0)
        stack_drop_changed(mark->frame);
    else
        memory_is_lost(actor, &guard);
    guard_leave(&guard);
}

void mark_restore(Actor *actor, Mark *mark)
{
    const chx_function *function = mark->frame->function;
    if (is_broken(BROKEN_NOT_RESTORED))
        return;
    if (function->owned_count != function->fixed_count || (function->result != NULL && function->result->owning))
        mark_drop_changed(actor, mark);
    memcpy(mark->frame + 1, mark->saved, mark->saved_bytes);
    Fault fault;
    if (mark->owns && frame_share(function, mark->frame, &fault) == SHARES_FAILED)
        share_raise(&fault);
}

// ---- marks ----

static inline void pop(Actor *actor, Mark *mark)
{
    actor->mark_count--;
    actor->ordinal_count = mark->inner.base;
    actor->self.level--;
    if (CHX_UNLIKELY(actor->uncount_count != 0))
        effect_left(actor, actor->self.level);
    mark_drop_saved(mark);
    mark_release(actor, mark);
}

void mark_pop(Actor *actor)
{
    pop(actor, mark_top(actor));
}

uint32_t *mark_other_ordinal(Actor *actor, Ordinals *ordinals, uint32_t site)
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
static bool mark_is_behind(const Mark *mark)
{
    return mark->block != NULL && mark->block->attempt != mark->attempt;
}

// The outermost block of this actor that went to another attempt up to this alarm, or NULL. The blocks are locked.
static __attribute__((noinline)) Mark *mark_called_back(Actor *actor, uint32_t alarm)
{
    Session *session = actor->session;
    size_t outermost = actor->mark_count;
    if (alarm - actor->self.alarm_seen > ALARMS_REMEMBERED) {
        for (size_t i = actor->mark_count; i > 0; i--)
            if (mark_is_behind(actor->marks[i - 1]))
                outermost = i - 1;
    } else {
        for (uint32_t i = actor->self.alarm_seen; i != alarm; i++) {
            size_t depth = session->alarm_depths[i % ALARMS_REMEMBERED];
            if (depth < outermost && mark_is_behind(actor->marks[depth]))
                outermost = depth;
        }
    }
    return outermost < actor->mark_count ? actor->marks[outermost] : NULL;
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
void mark_set_epochs(Actor *actor, const chx_checkpoint *checkpoint, uint32_t epoch, bool is_late)
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

// An attempt of the newest mark begins: at which label.
uint32_t mark_attempt_begins(const Mark *mark)
{
    return mark->attempt > mark->checkpoint->retries ? mark->checkpoint->rescue_at : mark->checkpoint->body_at;
}

static void wants_nothing(Actor *actor)
{
    actor->self.wants = 0;
}

// Something must be done before this role enters or leaves a block. The blocks are locked.
static inline bool actor_has_news(Actor *actor)
{
    uint32_t alarm = atomic_load(&actor->session->alarm);
    return alarm != actor->self.alarm_seen &&
           (session_is_stopping(actor->session) || mark_called_back(actor, alarm) != NULL);
}

// ---- what an observer sees: the callers have asked whether there is one ----

// The beginning and the end of a block are places where a role can crash.
static void observe_edge(Actor *actor, const chx_checkpoint *checkpoint)
{
    actor->self.site = checkpoint->site;
    observe_boundary(actor);
}

static TraceBlock mark_position(const Mark *mark, size_t depth, uint32_t epoch)
{
    return (TraceBlock){.site = mark->checkpoint->site,
                        .attempt = mark->attempt,
                        .epoch = epoch,
                        .depth = (uint32_t)depth,
                        .frame = mark->frame};
}

static void observe_entered(Actor *actor, uint32_t epoch)
{
    TraceBlock position = mark_position(mark_top(actor), actor->mark_count - 1, epoch);
    trace_checkpoint_enter(actor, &position);
}

static void observe_end(Actor *actor, bool arrives, bool leaves)
{
    TraceBlock position = mark_position(mark_top(actor), actor->mark_count - 1, 0);
    if (arrives)
        trace_checkpoint_arrive(actor, &position);
    if (leaves)
        trace_checkpoint_leave(actor, &position);
}

// Back at the mark, which is the newest. A fresh instance has not begun yet.
static void observe_back(Actor *actor, uint32_t epoch, const char *why)
{
    TraceBlock position = mark_position(mark_top(actor), actor->mark_count - 1, epoch);
    position.why = why;
    if (actor->begun)
        trace_checkpoint_recover(actor, &position);
    else
        trace_checkpoint_restart(actor, &position);
}

// ---- entering and leaving ----

// Not entered: the role is called back elsewhere, or something is missing, which is named.
static CHX_COLD uint32_t mark_stays_out(Actor *actor, Mark *mark, const char *lacks)
{
    uint32_t site = mark->checkpoint->site;
    mark_drop_saved(mark);
    mark_release(actor, mark);
    if (lacks != NULL)
        guard_raise(CHX_FAULT_SYSTEM, 0, site, "%s", lacks);
    wants_nothing(actor);
    return 0;
}

// In any case.
static __attribute__((noinline)) uint32_t mark_enter(Actor *actor, Mark *mark, Block *parent, uint32_t *ordinal)
{
    Session *session = actor->session;
    const chx_checkpoint *checkpoint = mark->checkpoint;
    blocks_lock(session);
    Block *block = NULL;
    bool is_called_back = actor_has_news(actor);
    if (!is_called_back)
        block = block_enter(session, parent, checkpoint, *ordinal);
    uint32_t attempt = block != NULL ? block->attempt : 0, epoch = block != NULL ? block->epoch : 0;
    const char *lacks = block == NULL && !is_called_back ? session->lacks : NULL;
    blocks_unlock(session);
    if (block == NULL)
        return mark_stays_out(actor, mark, lacks);
    if (is_broken(BROKEN_LATE_MARK_FORGOTTEN))
        attempt = 0;
    mark->block = block;
    mark_push(actor, mark, attempt, (*ordinal)++);
    if (actor->self.observed != 0)
        observe_entered(actor, epoch);
    if (attempt == 0)
        return checkpoint->body_at;
    // Others have failed here already: this role begins where they are.
    mark_set_epochs(actor, checkpoint, epoch, true);
    uint32_t at = mark_attempt_begins(mark);
    if (is_broken(BROKEN_NOTICE_TWICE)) {
        mark->attempt--;
        actor->self.alarm_seen -= ALARMS_REMEMBERED + 1;
    }
    return at;
}

// In the usual one: the first attempt, and the blocks can be locked quietly. False: that is not so.
CHX_INLINE bool mark_enter_quietly(Actor *actor, Mark *mark, Block *parent, uint32_t *ordinal)
{
    Worker *worker = blocks_lock_quietly(actor);
    if (worker == NULL)
        return false;
    Session *session = actor->session;
    Block *block = block_find(parent != NULL ? parent->children : session->blocks, mark->checkpoint, *ordinal);
    if (block == NULL)
        block = block_make(session, parent, mark->checkpoint, *ordinal);
    bool is_usual = block != NULL && block->attempt == 0;
    if (is_usual)
        block->references++;
    worker_leave(worker);
    if (!is_usual)
        return false;
    mark->block = block;
    mark_push(actor, mark, 0, (*ordinal)++);
    return true;
}

// Compiled twice: for roles that nobody looks at, and for the others (enter_seen, leave_seen), who may be in a process of their own.
CHX_INLINE uint32_t enter(Actor *actor, chx_frame *frame, const chx_checkpoint *checkpoint, bool is_observed)
{
    if (is_observed)
        observe_edge(actor, checkpoint);
    mark_reserve(actor);
    Mark *outer = mark_top(actor);
    uint32_t *ordinal = mark_ordinal(actor, outer, checkpoint->site);
    Mark *mark = mark_allocate(actor, frame->function->frame_size - sizeof *frame);
    Block *parent = outer != NULL ? outer->block : NULL;
    mark->frame = frame;
    mark->checkpoint = checkpoint;
    save(actor, mark); // before the block knows of this role: a copy may fail
    if (!mark_enter_quietly(actor, mark, parent, ordinal))
        return mark_enter(actor, mark, parent, ordinal);
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
CHX_INLINE void mark_meet(Session *session, Mark *mark)
{
    Block *block = mark->block;
    CHECK(block->attempt == mark->attempt || is_broken(BROKEN_LATE_MARK_FORGOTTEN));
    if (!mark->arrived) {
        mark->arrived = true;
        block_arrive(session, block, mark->checkpoint->position);
        if (mark->is_done)
            return;
    }
    mark->is_done = atomic_load_explicit(&block->done, memory_order_relaxed) || is_broken(BROKEN_MEETING_SKIPPED);
    if (mark->is_done)
        block_leave(session, block, !is_broken(BROKEN_MEETING_SKIPPED));
}

// In any case. False: something has happened, the role does not arrive.
static __attribute__((noinline)) bool mark_leave(Actor *actor, Mark *mark)
{
    Session *session = actor->session;
    blocks_lock(session);
    bool has_news = actor_has_news(actor);
    if (has_news) {
        wants_nothing(actor);
    } else {
        mark_meet(session, mark);
        actor->self.wants = (uintptr_t)mark->block | WANTS_BLOCK;
    }
    blocks_unlock(session);
    return !has_news;
}

CHX_INLINE bool leave(Actor *actor, const chx_checkpoint *checkpoint, bool is_observed)
{
    Mark *mark = mark_top(actor);
    CHECK(mark != NULL && mark->checkpoint == checkpoint);
    bool arrives = false;
    if (!mark->is_done) {
        arrives = !mark->arrived;
        if (is_observed && arrives)
            observe_edge(actor, checkpoint);
        Worker *worker = blocks_lock_quietly(actor);
        if (worker != NULL) {
            mark_meet(actor->session, mark);
            actor->self.wants = (uintptr_t)mark->block | WANTS_BLOCK;
            worker_leave(worker);
        } else if (!mark_leave(actor, mark)) {
            arrives = false;
        }
    }
    if (is_observed)
        observe_end(actor, arrives, mark->is_done);
    if (!mark->is_done)
        return false;
    pop(actor, mark);
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
    Mark *mark = mark_top(actor);
    CHECK(mark != NULL && mark->attempt > 0);
    blocks_lock(actor->session);
    chx_fault fault = mark->block->fault->fault;
    blocks_unlock(actor->session);
    return fault;
}

// ---- going back ----

// Drops what the abandoned attempt holds. Memory of a role that has crashed may be damaged: then some is lost.
void mark_unwind_to(Actor *actor, Mark *target)
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
static void marks_end_with(Actor *actor, Mark *mark)
{
    unsigned char *begin = (unsigned char *)mark, *end = begin + mark_bytes(mark->saved_bytes);
    while (begin < actor->mark_chunk->data || end > actor->mark_chunk->data + actor->mark_chunk->capacity)
        mark_chunk_pop(actor);
    actor->mark_next = end;
}

// Out of its block, which is still there or not. The blocks are locked.
static void mark_give_up(Session *session, Mark *mark)
{
    if (mark->block != NULL)
        block_leave(session, mark->block, false);
}

void checkpoint_answer_alarm(Actor *actor, uint32_t alarm)
{
    Session *session = actor->session;
    blocks_lock(session);
    Mark *target = mark_called_back(actor, alarm);
    actor->self.alarm_seen = alarm;
    uint32_t epoch = 0;
    char why[REPORT_WHY_SIZE];
    const char *lacks = NULL;
    if (target != NULL) {
        if (actor->self.observed != 0)
            strcpy(why, target->block->fault->why);
        for (size_t i = actor->mark_count; actor->marks[i - 1] != target; i--)
            mark_give_up(session, actor->marks[i - 1]);
        target->attempt = target->block->attempt;
        epoch = target->block->epoch;
        if (!block_back(session, target->block))
            lacks = session->lacks;
    }
    blocks_unlock(session);
    if (target == NULL)
        return;
    while (mark_top(actor) != target)
        mark_pop(actor);
    marks_end_with(actor, target);
    mark_unwind_to(actor, target);
    mark_restore(actor, target);
    target->arrived = false;
    mark_forget_counts(actor, target);
    wants_nothing(actor);
    mark_set_epochs(actor, target->checkpoint, epoch, false);
    target->frame->at = mark_attempt_begins(target);
    if (lacks != NULL)
        guard_raise(CHX_FAULT_SYSTEM, 0, target->checkpoint->site, "%s", lacks);
    if (actor->self.observed != 0)
        observe_back(actor, epoch, why);
}

// The blocks are locked.
bool mark_restart_is_allowed(Actor *actor, Fault *fault)
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
Mark *mark_in_charge(Actor *actor)
{
    if (is_broken(BROKEN_WRONG_BLOCK) && block_can_recover(actor->marks[0]->block, actor->marks[0]->attempt))
        return actor->marks[0];
    for (size_t i = actor->mark_count; i > 0; i--)
        if (!actor->marks[i - 1]->is_done &&
            block_can_recover(actor->marks[i - 1]->block, actor->marks[i - 1]->attempt))
            return actor->marks[i - 1];
    return NULL;
}

bool checkpoint_take_up(Actor *actor, Fault *fault)
{
    Session *session = actor->session;
    if (actor->mark_count == 0 || fault->kind == CHX_FAULT_SYSTEM)
        return false;
    bool taken_up = false;
    int line = actor_site_line(actor, fault->site);
    blocks_lock(session);
    // Called back already: it has died in an abandoned attempt, and nothing else changes.
    bool is_abandoned =
        mark_called_back(actor, atomic_load(&session->alarm)) != NULL && !is_broken(BROKEN_DEATH_CHARGED_TWICE);
    Mark *mark = is_abandoned ? NULL : mark_in_charge(actor);
    if (!session_is_stopping(session) && (is_abandoned || mark != NULL)) {
        taken_up =
            mark_restart_is_allowed(actor, fault) &&
            (is_abandoned || block_decide(session, mark->block, actor->role->role, fault, actor->role->file, line));
    }
    if (taken_up) {
        actor->restarts++;
        session->restarts++;
        actor->begun = false;
    }
    blocks_unlock(session);
    if (taken_up)
        log_write(session->runtime, CHX_LOG_INFO, "%s:%d: %s failed and is restarted: %s", actor->role->file, line,
                  actor->role->role, fault->why);
    return taken_up;
}

void checkpoint_abandon(Actor *actor)
{
    Session *session = actor->session;
    while (actor->mark_count > 0) {
        blocks_lock(session);
        mark_give_up(session, mark_top(actor));
        blocks_unlock(session);
        mark_pop(actor);
    }
}

void checkpoint_fini(Actor *actor)
{
    void *pieces[] = {actor->marks, actor->ordinals, actor->restart_times};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        release(actor, pieces[i]);
    if (actor->spare_mark_chunk != NULL)
        mark_chunk_release(actor, actor->spare_mark_chunk);
    for (MarkChunk *chunk = actor->mark_chunk, *previous; chunk != NULL; chunk = previous) {
        previous = chunk->previous;
        mark_chunk_release(actor, chunk);
    }
    actor->marks = NULL;
    actor->mark_chunk = NULL;
}
