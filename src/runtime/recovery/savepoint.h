// savepoint.h: what a role keeps of each block that it is in: its position, and the variables to go back to.
//
// A savepoint is pushed when the role enters a block: it saves the frame that the block stands in. Frames below that one are
// suspended while the role is inside and can't change, those above it are popped on the way back, so one frame is all
// there is to save. Savepoints nest like the blocks. Where rounds of a loop are blocks, the savepoint stays from the first to
// the last, and at the end of each the role saves the frame for the next one beside it: until all participants are there, it
// goes back to the first, from then on to the second. Emitted code has dropped before what the variables of the round owned: what is
// zero is not copied.
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
// In sequential programs (central.c) nothing is fixed or borrowed.

#ifndef RUNTIME_RECOVERY_SAVEPOINT_H
#define RUNTIME_RECOVERY_SAVEPOINT_H

#include "runtime/actor/effect.h"
#include "runtime/recovery/machine.h"

#include <string.h>

struct Savepoint {
    Position position; // first: a member's positions are its savepoints. block: NULL in an isolated role's own process
    chx_frame *frame;  // NULL: in another process, and `saved` is not a frame
    // What the role goes back to, and what is saved for the next round, have each a part of `saved`, and change places when that
    // round begins.
    bool owns, owns_next; // there is something to drop in it
    bool has_next;        // something is saved for the next round,
    bool next_is_first;   // in the first part
    EffectPath path;      // of the first effects.paths_known savepoints
    BlockFault *fault;    // in an isolated role's own process: why it is in the rescue
    Ordinals inner;       // of the blocks directly under this attempt
    unsigned char *kept;  // of another process, from the second round on: what takes the place of `saved`
    uint32_t saved_bytes;
    uint32_t room_bytes; // of `saved`, with both parts
    _Alignas(16) unsigned char saved[];
};

static inline Savepoint *savepoint_at(const Actor *actor, size_t depth)
{
    return (Savepoint *)(void *)actor->member.positions[depth];
}

// What is rare in the functions below. Without memory these don't return: the step ends.
CHX_COLD void savepoints_grow(Actor *actor);
CHX_COLD void savepoint_chunk_push(Actor *actor, size_t bytes); // above the current one, with room for `bytes`
CHX_COLD void savepoint_chunk_pop(Actor *actor);                // the current one, which is empty and not the first

// Room for one more savepoint among the actor's.
static inline void savepoint_reserve(Actor *actor)
{
    if (actor->member.count == actor->member.capacity)
        savepoints_grow(actor);
}

static inline size_t savepoint_bytes(size_t saved)
{
    return (sizeof(Savepoint) + saved + 15) & ~(size_t)15;
}

// Where the second part of `saved` begins.
static inline size_t savepoint_second_at(size_t saved)
{
    return (saved + 15) & ~(size_t)15;
}

// A savepoint with `saved` bytes, not yet among the actor's. Last in, first out.
static inline Savepoint *savepoint_allocate(Actor *actor, size_t saved)
{
    size_t bytes = savepoint_bytes(saved);
    if (CHX_UNLIKELY((size_t)(actor->savepoints.end - actor->savepoints.next) < bytes))
        savepoint_chunk_push(actor, bytes);
    Savepoint *savepoint = (Savepoint *)(void *)actor->savepoints.next;
    actor->savepoints.next += bytes;
    savepoint->saved_bytes = savepoint->room_bytes = (uint32_t)saved;
    savepoint->has_next = savepoint->next_is_first = false;
    return savepoint;
}
// The same for a frame, with room for that of the next round if there will be one. Its checkpoint and frame are set.
static inline Savepoint *savepoint_allocate_for(Actor *actor, chx_frame *frame, const chx_checkpoint *checkpoint)
{
    size_t saved = frame->function->frame_size - sizeof *frame;
    Savepoint *savepoint =
        savepoint_allocate(actor, CHX_UNLIKELY(checkpoint->is_round) ? savepoint_second_at(saved) + saved : saved);
    savepoint->saved_bytes = (uint32_t)saved;
    savepoint->frame = frame;
    savepoint->position.checkpoint = checkpoint;
    return savepoint;
}

// The newest one.
static inline void savepoint_release(Actor *actor, Savepoint *savepoint)
{
    actor->savepoints.next = (unsigned char *)savepoint;
    if (CHX_UNLIKELY(actor->savepoints.next == actor->savepoints.begin))
        savepoint_chunk_pop(actor);
}

// The frame's variables, which the savepoint then owns too. If something can't be copied, the step ends, and the savepoint, which
// is the newest and not yet among the actor's, is gone.
void savepoint_save_owned(Actor *actor, Savepoint *savepoint);
static inline void savepoint_save(Actor *actor, Savepoint *savepoint)
{
    const chx_function *function = savepoint->frame->function;
    memcpy(savepoint->saved, savepoint->frame + 1, savepoint->saved_bytes);
    savepoint->owns = false;
    if (function->owned_count != function->fixed_count)
        savepoint_save_owned(actor, savepoint);
}
// What it has saved. In another process it is no frame.
void savepoint_drop_owned(Savepoint *savepoint);
void savepoint_drop_next(Savepoint *savepoint);
static inline void savepoint_drop_saved(Savepoint *savepoint)
{
    if (savepoint->frame != NULL && savepoint->owns)
        savepoint_drop_owned(savepoint);
    if (CHX_UNLIKELY(savepoint->has_next))
        savepoint_drop_next(savepoint);
}

static inline Savepoint *savepoint_top(const Actor *actor)
{
    return actor->member.count > 0 ? savepoint_at(actor, actor->member.count - 1) : NULL;
}

// Appends it to the actor's. Its position, frame and what it has saved are set.
static inline void savepoint_push(Actor *actor, Savepoint *savepoint)
{
    actor->self.level++;
    savepoint->fault = NULL;
    savepoint->kept = NULL;
    savepoint->inner = (Ordinals){.base = (uint32_t)actor->savepoints.ordinal_count};
    actor->member.positions[actor->member.count++] = &savepoint->position;
}

// Effects of the savepoints above this level are not counted any more.
static inline void savepoint_left(Actor *actor, uint32_t level)
{
    if (CHX_UNLIKELY((actor->effects.uncount_count | actor->effects.paths_known) != 0))
        effect_left(actor, level);
}

// Takes the newest one away.
static inline void savepoint_pop(Actor *actor)
{
    Savepoint *savepoint = savepoint_top(actor);
    actor->member.count--;
    actor->savepoints.ordinal_count = savepoint->inner.base;
    actor->self.level--;
    savepoint_left(actor, actor->self.level);
    savepoint_drop_saved(savepoint);
    savepoint_release(actor, savepoint);
}

// How often this role has entered the block directly under its current attempt.
uint32_t *savepoint_other_ordinal(Actor *actor, Ordinals *ordinals, uint32_t site);
static inline uint32_t *savepoint_ordinal(Actor *actor, Savepoint *parent, uint32_t site)
{
    Ordinals *ordinals = parent != NULL ? &parent->inner : &actor->savepoints.outermost;
    if (is_broken(BROKEN_COUNTED_NAMES))
        site = UINT32_MAX;
    if (ordinals->first.site == 0)
        ordinals->first.site = site;
    return ordinals->first.site == site ? &ordinals->first.count : savepoint_other_ordinal(actor, ordinals, site);
}

// The role is at the end of a round, and the savepoint is the newest. Saves the frame for the next one. If something can't be
// copied, the step ends, and nothing has happened.
void savepoint_save_next(Savepoint *savepoint);
// All participants were there: what was saved for the next round is what the role goes back to.
void savepoint_begin_round(Actor *actor, Savepoint *savepoint);

// Another attempt of the newest savepoint begins: what was counted in the last one is forgotten.
static inline void savepoint_forget_counts(Actor *actor, Savepoint *savepoint)
{
    actor->savepoints.ordinal_count = savepoint->inner.base;
    savepoint->inner.first = (Ordinal){0};
    savepoint_left(actor, actor->self.level - 1);
}

// The newest savepoint's next round begins, and its position says which: the same for the round before, and the next block of
// this kind has the number after it.
void savepoint_count_round(Actor *actor, Savepoint *savepoint);

// The role enters a block that is not known to a machine here: saves the frame, and appends that to the actor's. If something
// can't be copied, the step ends, and nothing has happened.
Savepoint *savepoint_add(Actor *actor, chx_frame *frame, const chx_checkpoint *checkpoint);
// Of a role whose blocks are decided elsewhere: why the newest savepoint's block is in its rescue. Its strings go with the block: no
// variable may keep them, since variables are saved with the next one.
BlockFault *block_fault_new(const chx_fault *fault); // a copy, with its strings; without memory the step ends
void savepoint_drop_fault(Savepoint *savepoint);
void savepoint_forget(Actor *actor); // the newest one, with its fault
// Messages among the participants belong to the new epoch from now on.
void savepoint_set_epochs(Actor *actor, const chx_checkpoint *checkpoint, uint32_t epoch, bool is_late);
// The role, rolled back, begins another attempt of the target, which is the newest by now: drops what the abandoned attempt
// holds and restores the variables.
void savepoint_begin_again(Actor *actor, Savepoint *target);

// For the first savepoints: SAVEPOINT_ROOM_BYTES of the session's own memory.
enum {
    SAVEPOINTS_FIRST = 8,
    SAVEPOINT_CHUNK_BYTES = 512,
    // Positions, ordinals, a chunk.
    SAVEPOINT_ROOM_BYTES = SAVEPOINTS_FIRST * 16 + 32 + SAVEPOINT_CHUNK_BYTES,
};
void savepoints_init(Actor *actor, void *room);
void savepoints_fini(Actor *actor);

#endif
