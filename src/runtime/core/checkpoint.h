// checkpoint.h: one role's side of checkpoints: marks, what they saved, and going back to them.
//
// A mark is pushed when the role enters a block: it saves the frame that the block stands in. Frames below that one are
// suspended while the role is inside and can't change, those above it are popped on the way back, so one frame is all
// there is to save. Marks nest like the blocks: the mark at depth d belongs to a block at depth d.

#ifndef RUNTIME_CORE_CHECKPOINT_H
#define RUNTIME_CORE_CHECKPOINT_H

#include "runtime/core/private.h"

#include "runtime/core/block.h"

enum {
    MARKS_FIRST = 8,
    MARK_CHUNK_BYTES = 1024,
    // Marks, ordinals, a chunk.
    CHECKPOINT_ROOM_BYTES = MARKS_FIRST * 16 + 32 + MARK_CHUNK_BYTES,
};

// For the first blocks: CHECKPOINT_ROOM_BYTES of the session's own memory.
void checkpoint_init(Actor *actor, void *room);
// The session's alarm has risen to `alarm`: if a block that the actor is in went to another attempt, goes back to it.
void checkpoint_answer_alarm(Actor *actor, uint32_t alarm);
// The actor has failed. True: a block takes it up, the actor goes on there. False: nobody does; fault->why may say more.
bool checkpoint_take_up(Actor *actor, Fault *fault);
// Leaves all blocks without a word: the session is being stopped.
void checkpoint_abandon(Actor *actor);
// Frees memory. After checkpoint_abandon or an orderly end.
void checkpoint_fini(Actor *actor);

#endif
