// savepoint.h: a role's own record of a block that it is in, its savepoint: checkpoint.c, and the processes of isolated roles.
//
// Who owns the values that a savepoint restores. A function's variables that own something are of two kinds (chx_function):
//
// - Those that may change. The savepoint has values of its own (strings are shared and counted, others copied), which it
//   releases when it goes away. What the frame, other savepoints of the same frame and other frames hold is independent of
//   these: each may be released or replaced at any time.
// - Fixed ones: strings that were given with the call. These are the frame's, or its caller's if the frame only borrows
//   them, from the call until the frame is popped, and savepoints of the frame refer to them. So, as long as there is a
//   savepoint of a frame, nothing may release or replace its fixed variables: going back to a savepoint drops and restores
//   only those that may change, and so does loading a frame again in a new process (snapshot.c), where each block that the
//   role is in brings one more state of the enclosing block's frame.
//
// `fault` variables own nothing: their strings are the block's, or, in a new process, live as long as the role.
// A copy may fail at any value. Then the copy owns nothing, and what it was copied from is as it was.
// Sequential programs copy whole frames (central.c), and nothing in them is borrowed.

#ifndef RUNTIME_RECOVERY_SAVEPOINT_H
#define RUNTIME_RECOVERY_SAVEPOINT_H

#include "runtime/recovery/block.h"
#include "runtime/actor/effect.h"

struct Savepoint {
    Block *block; // NULL: in an isolated role's own process; or it is done, and the record is gone
    const chx_checkpoint *checkpoint;
    chx_frame *frame; // NULL: in another process, and `saved` is not a frame
    uint32_t attempt;
    bool arrived;
    bool is_done;      // whoever arrived last has left the block for this role, too
    bool owns;         // `saved` has something to drop
    uint32_t ordinal;  // how often the role had entered this block in this attempt of the next outer one
    EffectPath path;   // of the first actor->paths_known savepoints
    BlockFault *fault; // in an isolated role's own process: why it is in the rescue
    Ordinals inner;    // of the blocks directly under this attempt
    uint32_t saved_bytes;
    _Alignas(16) unsigned char saved[];
};

// Where savepoints lie, the newest last.
struct SavepointChunk {
    SavepointChunk *previous;
    size_t capacity;
    size_t used; // while savepoints lie in the next one
    _Alignas(16) unsigned char data[];
};

// What is rare in the functions below. Without memory these don't return: the step ends.
CHX_COLD void savepoints_grow(Actor *actor);
CHX_COLD void ordinals_grow(Actor *actor);
CHX_COLD void savepoint_chunk_push(Actor *actor, size_t bytes); // above the current one, with room for `bytes`
CHX_COLD void savepoint_chunk_pop(Actor *actor);                // the current one, which is empty and not the first

// Room for one more savepoint among the actor's.
static inline void savepoint_reserve(Actor *actor)
{
    if (actor->savepoint_count == actor->savepoint_capacity)
        savepoints_grow(actor);
}

static inline size_t savepoint_bytes(size_t saved)
{
    return (sizeof(Savepoint) + saved + 15) & ~(size_t)15;
}

// A savepoint with `saved` bytes, not yet among the actor's. Last in, first out.
static inline Savepoint *savepoint_allocate(Actor *actor, size_t saved)
{
    size_t bytes = savepoint_bytes(saved);
    if (CHX_UNLIKELY((size_t)(actor->savepoint_end - actor->savepoint_next) < bytes))
        savepoint_chunk_push(actor, bytes);
    Savepoint *savepoint = (Savepoint *)(void *)actor->savepoint_next;
    actor->savepoint_next += bytes;
    savepoint->saved_bytes = (uint32_t)saved;
    return savepoint;
}

// The newest one.
static inline void savepoint_release(Actor *actor, Savepoint *savepoint)
{
    actor->savepoint_next = (unsigned char *)savepoint;
    if (CHX_UNLIKELY(actor->savepoint_next == actor->savepoint_begin))
        savepoint_chunk_pop(actor);
}

// The frame's variables, which the savepoint then owns too; and back. If something can't be copied, the step ends, and in the first
// case the savepoint, which is the newest and not yet among the actor's, is gone.
void savepoint_save(Actor *actor, Savepoint *savepoint);
void savepoint_restore(Actor *actor, Savepoint *savepoint);

static inline Savepoint *savepoint_top(const Actor *actor)
{
    return actor->savepoint_count > 0 ? actor->savepoints[actor->savepoint_count - 1] : NULL;
}

// All set but block, checkpoint, frame and what is saved.
static inline void savepoint_push(Actor *actor, Savepoint *savepoint, uint32_t attempt, uint32_t ordinal)
{
    savepoint->attempt = attempt;
    savepoint->arrived = savepoint->is_done = false;
    savepoint->ordinal = ordinal;
    actor->self.level++;
    savepoint->fault = NULL;
    savepoint->inner = (Ordinals){.base = (uint32_t)actor->ordinal_count};
    actor->savepoints[actor->savepoint_count++] = savepoint;
}

void savepoint_pop(Actor *actor);

// How often this role has entered the block directly under its current attempt.
uint32_t *savepoint_other_ordinal(Actor *actor, Ordinals *ordinals, uint32_t site);
static inline uint32_t *savepoint_ordinal(Actor *actor, Savepoint *parent, uint32_t site)
{
    Ordinals *ordinals = parent != NULL ? &parent->inner : &actor->outermost;
    if (is_broken(BROKEN_COUNTED_NAMES))
        site = UINT32_MAX;
    if (ordinals->first.site == 0)
        ordinals->first.site = site;
    return ordinals->first.site == site ? &ordinals->first.count : savepoint_other_ordinal(actor, ordinals, site);
}

// Another attempt of the newest savepoint begins: what was counted in the last one is forgotten.
static inline void savepoint_forget_counts(Actor *actor, Savepoint *savepoint)
{
    actor->ordinal_count = savepoint->inner.base;
    savepoint->inner.first = (Ordinal){0};
    effect_left(actor, actor->self.level - 1);
}

// Messages among the participants belong to the new epoch from now on.
void savepoint_set_epochs(Actor *actor, const chx_checkpoint *checkpoint, uint32_t epoch, bool is_late);
// An attempt of the newest savepoint begins: the label to go on at.
uint32_t savepoint_attempt_begins(const Savepoint *savepoint);
// Drops what the abandoned attempt holds.
void savepoint_unwind_to(Actor *actor, Savepoint *target);

// With the blocks locked. One more restart, after this fault: is that within the limit of its cast? If not, the fault says so.
bool savepoint_restart_is_allowed(Actor *actor, Fault *fault);
// The innermost block that has an attempt left; NULL: none.
Savepoint *savepoint_in_charge(Actor *actor);

#endif
