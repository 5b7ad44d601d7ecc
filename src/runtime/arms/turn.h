// turn.h: a role that is in several arms at once goes on in one of them at a time.
//
// Each arm of a role has an actor of its own, and so has the role itself. All of them have one Turn. Whoever runs one of these actors
// has the turn, from where the actor goes on up to where it waits; the others queue up for it, first come, first served. So a role's C
// code never runs twice at the same time, and changes from one arm to another only where an arm waits.

#ifndef RUNTIME_ARMS_TURN_H
#define RUNTIME_ARMS_TURN_H

#include "runtime/actor/actor.h"

// `state`: whether somebody has it, and whether others want it.
enum { TURN_FREE, TURN_TAKEN, TURN_WANTED };

typedef struct Turn Turn;
struct Turn {
    _Atomic uint32_t state;
    pthread_mutex_t lock; // of what follows
    Actor *first, *last;  // queue up for it (next_queued)
    Actor *granted;       // has it, and is in a queue of the scheduler's
    Turn *next;           // of the same session
};

void turn_init(Turn *turn); // taken by the caller
void turn_fini(Turn *turn);
// The actor, in the caller's hand, is to run. False: others are at it; it is in the queue now.
bool turn_take(Turn *turn, Actor *actor);
// The same without queueing up: false: somebody else has the turn, or others come first.
bool turn_try(Turn *turn);
// Whoever has the turn lets the actor, which is in hand, have it later.
void turn_queue_up(Turn *turn, Actor *actor);
// The next one has the turn, and is given to the scheduler. NULL: there is no turn.
void turn_release(Turn *turn);
// The actor waits for nothing but its turn: asked from outside, so it may be so no more.
bool turn_is_awaited(Turn *turn, const Actor *actor);

#endif
