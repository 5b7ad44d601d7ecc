// mark.h: a role's own record of a block that it is in: checkpoint.c, and the processes of isolated roles.

#ifndef RUNTIME_CORE_MARK_H
#define RUNTIME_CORE_MARK_H

#include "runtime/core/private.h"

#include "runtime/core/block.h"

struct Mark {
    Block *block; // NULL: in an isolated role's own process
    const chx_checkpoint *checkpoint;
    chx_frame *frame; // NULL: in another process, and `saved` is not a frame
    uint32_t attempt;
    bool arrived;
    bool owns; // `saved` has something to drop
    uint64_t steps;
    BlockFault *fault;   // in an isolated role's own process: why it is in the rescue
    size_t ordinal_base; // of the counts that belong to this attempt
    size_t saved_bytes;
    MarkChunk *chunk; // in which it lies
    _Alignas(16) unsigned char saved[];
};

// Room for one more mark among the actor's. Without memory these two don't return: the step ends.
void mark_reserve(Actor *actor);
// A mark with `saved` bytes, not yet among the actor's. Last in, first out.
Mark *mark_allocate(Actor *actor, size_t saved);
void mark_release(Actor *actor, Mark *mark);
// The frame's variables, which the mark then owns too; and back.
void mark_save(Mark *mark);
void mark_restore(Mark *mark);

Mark *mark_top(const Actor *actor);
void mark_push(Actor *actor, Mark *mark);
void mark_pop(Actor *actor);
// How often this role has entered the block directly under its current attempt.
uint32_t *mark_ordinal(Actor *actor, uint32_t site);

// Messages among the participants belong to the new epoch from now on.
void mark_set_epochs(Actor *actor, const chx_checkpoint *checkpoint, uint32_t epoch, bool is_late);
// The mark's attempt begins: the label to go on at.
uint32_t mark_attempt_begins(Actor *actor, Mark *mark);
// Drops what the abandoned attempt holds.
void mark_unwind_to(Actor *actor, Mark *target);

// With the blocks locked. One more restart: is that within the limit of its cast?
bool mark_restart_is_allowed(Actor *actor);
// The innermost block that has an attempt left; NULL: none.
Mark *mark_in_charge(Actor *actor);

#endif
