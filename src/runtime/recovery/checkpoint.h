// checkpoint.h: one role's side of checkpoints: savepoints, what they saved, and going back to them.
//
// A savepoint is pushed when the role enters a block: it saves the frame that the block stands in. Frames below that one are
// suspended while the role is inside and can't change, those above it are popped on the way back, so one frame is all
// there is to save. Marks nest like the blocks: the savepoint at depth d belongs to a block at depth d.

#ifndef RUNTIME_RECOVERY_CHECKPOINT_H
#define RUNTIME_RECOVERY_CHECKPOINT_H

#include "runtime/recovery/block.h"

enum {
    SAVEPOINTS_FIRST = 8,
    SAVEPOINT_CHUNK_BYTES = 1024,
    // Marks, ordinals, a chunk.
    CHECKPOINT_ROOM_BYTES = SAVEPOINTS_FIRST * 16 + 32 + SAVEPOINT_CHUNK_BYTES,
};

// For the first blocks: CHECKPOINT_ROOM_BYTES of the session's own memory.
void checkpoint_init(Actor *actor, void *room);
// The session's alarm has risen to `alarm`: if a block that the actor is in went to another attempt, goes back to it.
void checkpoint_roll_back(Actor *actor, uint32_t generation);
// The actor has failed. True: a block takes it up, the actor goes on there. False: nobody does; fault->why may say more.
bool checkpoint_recover(Actor *actor, Fault *fault);
// Leaves all blocks without a word: the session is being stopped.
void checkpoint_abandon(Actor *actor);
// Frees memory. After checkpoint_abandon or an orderly end.
void checkpoint_fini(Actor *actor);

#endif
