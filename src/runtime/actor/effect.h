// effect.h: what identifies a step of a role, so that its effects outside can be recognised (chx_effect_id).
//
// A step is identified by its session, its role, the blocks that the role is in, its site, and how often the role has been
// at that site in this attempt of the innermost block. A block is identified by the blocks around it, its site, how often
// the role has entered it in this attempt of the next outer one, and whether it is in its body or its rescue. All attempts
// of a body share that: a step that is tried again has the identifier that it had, whatever happened before it.
//
// Counting is cheap: each counter knows the level, that is, the number of blocks that the role is in, that it counts for.
// The first time that a site is reached at a higher level, the counter starts anew, and what it was is put on a list, from
// which it comes back when the block is left or tried again. So counters never belong to a block that the role is not in.
// What identifies a block is computed when somebody asks, and known until the block is left or tried again.

#ifndef RUNTIME_ACTOR_EFFECT_H
#define RUNTIME_ACTOR_EFFECT_H

#include "runtime/actor/actor.h"

// When the block at this level is left: the counter goes back to what it was.
struct Uncount {
    uint32_t level;
    uint32_t counter;
    chx_count was;
};

// The blocks above this level were left, or are tried again: does what the list says, and forgets their identifiers.
CHX_COLD void effect_left(Actor *actor, uint32_t level);
void effect_fini(Actor *actor);

// A part of a snapshot: what a new process must know of the level around the newest savepoint, which has just been entered
// (if there is none, of what is around all blocks); and the other side, where it is about to be entered. False: that can't be what was saved.
void effect_save(const Actor *actor, chx_writer *writer);
// The same of what is around all blocks, while the role is in one or in none.
void effect_save_outside(const Actor *actor, chx_writer *writer);
bool effect_load(Actor *actor, chx_reader *reader);

// central.c's: how often a role of a sequential program has been at its site.
uint32_t central_count(const Actor *actor);

#endif
