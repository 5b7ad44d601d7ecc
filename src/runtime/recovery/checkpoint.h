// checkpoint.h: how roles of this program take part in blocks: the events that they feed to the machine, under the lock of the
// blocks, and what they do when they are rolled back.

#ifndef RUNTIME_RECOVERY_CHECKPOINT_H
#define RUNTIME_RECOVERY_CHECKPOINT_H

#include "runtime/actor/actor.h"

// The session's rollback generation has risen to this: if a block that the actor is in went to another attempt, goes back to
// it.
void checkpoint_roll_back(Actor *actor, uint32_t generation);
// The actor has failed. True: a block takes that up, and the actor goes on there. False: none does; fault->why may say more.
bool checkpoint_recover(Actor *actor, Fault *fault);
// Leaves all blocks without a word: the session is being stopped.
void checkpoint_abandon(Actor *actor);

// Serialises with the events of a session's recovery what a thread does that is not a worker.
void blocks_lock_outside(Session *session);
void blocks_unlock_outside(Session *session);

// The same for a worker, at an actor of the session.
void blocks_lock_role(Session *session);
void blocks_unlock_role(Session *session);
// With the blocks locked: must something be done before this role enters or leaves a block?
bool checkpoint_must_look(Actor *actor);
// The beginning and the end of a block are places where a role can crash.
void observe_edge(Actor *actor, const chx_checkpoint *checkpoint);

#endif
