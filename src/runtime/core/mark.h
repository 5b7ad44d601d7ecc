// mark.h: a role's own record of a block that it is in, its savepoint: checkpoint.c, and the processes of isolated roles.
//
// Who owns the values that a savepoint restores. A function's variables that own something are of two kinds (chx_function):
//
// - Those that may change. The savepoint has values of its own (strings are shared and counted, others copied), which it
//   releases when it goes away. What the frame, other savepoints of the same frame and other frames hold is independent of
//   these: each may be released or replaced at any time.
// - Fixed ones: strings that were given with the call. These are the frame's, or its caller's if the frame only borrows
//   them, from the call until the frame is popped, and savepoints of the frame refer to them. So, as long as there is a
//   savepoint of a frame, nothing may release or replace its fixed variables: going back to a savepoint drops and restores
//   only those that may change, and so does loading a frame again in a new process (chain.c), where each block that the
//   role is in brings one more state of the enclosing block's frame.
//
// `fault` variables own nothing: their strings are the block's, or, in a new process, live as long as the role.
// A copy may fail at any value. Then the copy owns nothing, and what it was copied from is as it was.
// Sequential programs copy whole frames (central.c), and nothing in them is borrowed.

#ifndef RUNTIME_CORE_MARK_H
#define RUNTIME_CORE_MARK_H

#include "runtime/core/private.h"

#include "runtime/core/block.h"
#include "runtime/core/effect.h"

struct Mark {
    Block *block; // NULL: in an isolated role's own process; or it is done, and the record is gone
    const chx_checkpoint *checkpoint;
    chx_frame *frame; // NULL: in another process, and `saved` is not a frame
    uint32_t attempt;
    bool arrived;
    bool is_done;      // whoever arrived last has left the block for this role, too
    bool owns;         // `saved` has something to drop
    uint32_t ordinal;  // how often the role had entered this block in this attempt of the next outer one
    EffectPath path;   // of the first actor->paths_known marks
    BlockFault *fault; // in an isolated role's own process: why it is in the rescue
    Ordinals inner;    // of the blocks directly under this attempt
    uint32_t saved_bytes;
    _Alignas(16) unsigned char saved[];
};

// Where marks lie, the newest last.
struct MarkChunk {
    MarkChunk *previous;
    size_t capacity;
    size_t used; // while marks lie in the next one
    _Alignas(16) unsigned char data[];
};

// What is rare in the functions below. Without memory these don't return: the step ends.
CHX_COLD void marks_grow(Actor *actor);
CHX_COLD void ordinals_grow(Actor *actor);
CHX_COLD void mark_chunk_push(Actor *actor, size_t bytes); // above the current one, with room for `bytes`
CHX_COLD void mark_chunk_pop(Actor *actor);                // the current one, which is empty and not the first

// Room for one more mark among the actor's.
static inline void mark_reserve(Actor *actor)
{
    if (actor->mark_count == actor->mark_capacity)
        marks_grow(actor);
}

static inline size_t mark_bytes(size_t saved)
{
    return (sizeof(Mark) + saved + 15) & ~(size_t)15;
}

// A mark with `saved` bytes, not yet among the actor's. Last in, first out.
static inline Mark *mark_allocate(Actor *actor, size_t saved)
{
    size_t bytes = mark_bytes(saved);
    if (CHX_UNLIKELY((size_t)(actor->mark_end - actor->mark_next) < bytes))
        mark_chunk_push(actor, bytes);
    Mark *mark = (Mark *)(void *)actor->mark_next;
    actor->mark_next += bytes;
    mark->saved_bytes = (uint32_t)saved;
    return mark;
}

// The newest one.
static inline void mark_release(Actor *actor, Mark *mark)
{
    actor->mark_next = (unsigned char *)mark;
    if (CHX_UNLIKELY(actor->mark_next == actor->mark_begin))
        mark_chunk_pop(actor);
}

// The frame's variables, which the mark then owns too; and back. If something can't be copied, the step ends, and in the first
// case the mark, which is the newest and not yet among the actor's, is gone.
void mark_save(Actor *actor, Mark *mark);
void mark_restore(Actor *actor, Mark *mark);

static inline Mark *mark_top(const Actor *actor)
{
    return actor->mark_count > 0 ? actor->marks[actor->mark_count - 1] : NULL;
}

// All set but block, checkpoint, frame and what is saved.
static inline void mark_push(Actor *actor, Mark *mark, uint32_t attempt, uint32_t ordinal)
{
    mark->attempt = attempt;
    mark->arrived = mark->is_done = false;
    mark->ordinal = ordinal;
    actor->self.level++;
    mark->fault = NULL;
    mark->inner = (Ordinals){.base = (uint32_t)actor->ordinal_count};
    actor->marks[actor->mark_count++] = mark;
}

void mark_pop(Actor *actor);

// How often this role has entered the block directly under its current attempt.
uint32_t *mark_other_ordinal(Actor *actor, Ordinals *ordinals, uint32_t site);
static inline uint32_t *mark_ordinal(Actor *actor, Mark *parent, uint32_t site)
{
    Ordinals *ordinals = parent != NULL ? &parent->inner : &actor->outermost;
    if (is_broken(BROKEN_COUNTED_NAMES))
        site = UINT32_MAX;
    if (ordinals->first.site == 0)
        ordinals->first.site = site;
    return ordinals->first.site == site ? &ordinals->first.count : mark_other_ordinal(actor, ordinals, site);
}

// Another attempt of the newest mark begins: what was counted in the last one is forgotten.
static inline void mark_forget_counts(Actor *actor, Mark *mark)
{
    actor->ordinal_count = mark->inner.base;
    mark->inner.first = (Ordinal){0};
    effect_left(actor, actor->self.level - 1);
}

// Messages among the participants belong to the new epoch from now on.
void mark_set_epochs(Actor *actor, const chx_checkpoint *checkpoint, uint32_t epoch, bool is_late);
// An attempt of the newest mark begins: the label to go on at.
uint32_t mark_attempt_begins(const Mark *mark);
// Drops what the abandoned attempt holds.
void mark_unwind_to(Actor *actor, Mark *target);

// With the blocks locked. One more restart, after this fault: is that within the limit of its cast? If not, the fault says so.
bool mark_restart_is_allowed(Actor *actor, Fault *fault);
// The innermost block that has an attempt left; NULL: none.
Mark *mark_in_charge(Actor *actor);

#endif
