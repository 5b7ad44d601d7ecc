// snapshot.h: frames as bytes: what a role saves when it enters a block, for another process to go on from.
//
// Entering a block saves the frames from the enclosing block's frame, whose variables may have changed since that block
// was entered, up to this block's frame. Frames further out are suspended and can't change: all snapshots together,
// outermost block first, are the whole stack.
//
// The format is the same on every machine and for every program that has the same role: docs/wire.md. Functions have
// numbers, values are encoded by their types, and nothing is an address. What reads a snapshot trusts nothing in it.

#ifndef RUNTIME_VALUE_SNAPSHOT_H
#define RUNTIME_VALUE_SNAPSHOT_H

#include "runtime/actor/actor.h"

enum { SNAPSHOT_VERSION = 1 };

// Appends a snapshot of the block that the role has entered last (it is in none: of its beginning): the frames from `first`
// (NULL: from the outermost) up to the top one. buffer->failed: there was no memory for all.
void snapshot_save(const Actor *actor, const chx_frame *first, chx_buffer *buffer);

// The same as if the role were in no block, at the end of the outermost one that it is in: its whole stack.
void snapshot_save_outside(const Actor *actor, chx_buffer *buffer);

// Puts the frames of a snapshot on the stack; the first one replaces what the top frame, if there is one, holds, except for
// its fixed variables, which its savepoint refers to. The role is about to enter this block (NULL: to begin) the returned
// number of times less one. NULL: that was it; else why it can't be: "its checksum is wrong". Then the role can't be run,
// only unwound. Without memory, or if a codec fails, the step ends, and the same holds.
const char *snapshot_load(Actor *actor, const chx_checkpoint *checkpoint, const void *data, size_t size,
                          uint32_t *ordinal);

// Takes only the counters out of a snapshot that has been loaded by another actor of the role before: ordinals of blocks, and of
// effects. False: they can't be read.
bool snapshot_load_counters(Actor *actor, const void *data, size_t size);

// chx_role.state_digest of the role that has made it. 0: it is no snapshot.
uint64_t snapshot_state_digest(const void *data, size_t size);

// The site of the block that a snapshot says to be of. 0: it is of none, or no snapshot.
uint32_t snapshot_site(const void *data, size_t size);

// The name of a variable of this frame that has a value which can't go to another process. NULL: none.
const char *snapshot_unsendable(const chx_frame *frame);

#endif
