// snapshot.h: frames as bytes: what a role saves when it enters a block, for another process to go on from.
//
// Entering a block saves the frames from the enclosing block's frame, whose variables may have changed since that block
// was entered, up to this block's frame. Frames further out are suspended and can't change: all saved pieces together,
// outermost first, are the whole stack.

#ifndef RUNTIME_VALUE_SNAPSHOT_H
#define RUNTIME_VALUE_SNAPSHOT_H

#include "runtime/actor/actor.h"

// Appends the frames from `first` (NULL: from the outermost) up to the top one. buffer->failed: there was no memory for all.
void snapshot_save(const Actor *actor, const chx_frame *first, chx_buffer *buffer);
// Puts them on the stack; the first one replaces what the top frame, if there is one, holds, except for its fixed
// variables, which its savepoint refers to. False: they can't be what snapshot_save wrote.
bool snapshot_load(Actor *actor, const void *data, size_t size);

// The name of a variable of this frame that has a value which can't go to another process. NULL: none.
const char *snapshot_unsendable(const chx_frame *frame);

#endif
