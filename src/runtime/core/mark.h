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
    BlockFault *fault;     // in an isolated role's own process: why it is in the rescue
    uint32_t ordinal_base; // of the counts that belong to this attempt
    uint32_t saved_bytes;
    MarkChunk *chunk; // in which it lies
    _Alignas(16) unsigned char saved[];
};

// Where marks lie, the newest last.
struct MarkChunk {
    MarkChunk *previous;
    size_t capacity, used;
    _Alignas(16) unsigned char data[];
};

struct Ordinal {
    uint32_t site, count;
};

// What is rare in the functions below. Without memory these don't return: the step ends.
CHX_COLD void marks_grow(Actor *actor);
CHX_COLD void ordinals_grow(Actor *actor);
CHX_COLD MarkChunk *mark_chunk_push(Actor *actor, size_t bytes); // above the current one, with room for `bytes`
CHX_COLD void mark_chunk_pop(Actor *actor);                      // the current one, which is empty and not the first

// Room for one more mark among the actor's.
static inline void mark_reserve(Actor *actor)
{
    if (actor->mark_count == actor->mark_capacity)
        marks_grow(actor);
}

// A mark with `saved` bytes, not yet among the actor's. Last in, first out.
static inline Mark *mark_allocate(Actor *actor, size_t saved)
{
    size_t bytes = (sizeof(Mark) + saved + 15) & ~(size_t)15;
    MarkChunk *chunk = actor->mark_chunk;
    if (chunk == NULL || chunk->capacity - chunk->used < bytes)
        chunk = mark_chunk_push(actor, bytes);
    Mark *mark = (Mark *)(void *)(chunk->data + chunk->used);
    chunk->used += bytes;
    mark->chunk = chunk;
    mark->saved_bytes = (uint32_t)saved;
    return mark;
}

// The newest one.
static inline void mark_release(Actor *actor, Mark *mark)
{
    MarkChunk *chunk = mark->chunk;
    chunk->used = (size_t)((unsigned char *)mark - chunk->data);
    if (chunk->used == 0 && chunk->previous != NULL)
        mark_chunk_pop(actor);
}

// The frame's variables, which the mark then owns too; and back.
void mark_save(Mark *mark);
void mark_restore(Mark *mark);

static inline Mark *mark_top(const Actor *actor)
{
    return actor->mark_count > 0 ? actor->marks[actor->mark_count - 1] : NULL;
}

static inline void mark_push(Actor *actor, Mark *mark)
{
    actor->marks[actor->mark_count++] = mark;
}

void mark_pop(Actor *actor);

// How often this role has entered the block directly under its current attempt.
static inline uint32_t *mark_ordinal(Actor *actor, uint32_t site)
{
    Mark *parent = mark_top(actor);
    if (is_broken(BROKEN_COUNTED_NAMES))
        site = 0;
    for (size_t i = parent != NULL ? parent->ordinal_base : 0; i < actor->ordinal_count; i++)
        if (actor->ordinals[i].site == site)
            return &actor->ordinals[i].count;
    if (actor->ordinal_count == actor->ordinal_capacity)
        ordinals_grow(actor);
    actor->ordinals[actor->ordinal_count] = (Ordinal){site, 0};
    return &actor->ordinals[actor->ordinal_count++].count;
}

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
