// arms.h: `par`: a role is in several arms at once.
//
// An arm is a small session inside of the session, its *root*: an actor for each role that takes part, channels among these, blocks and
// epochs of its own. Nothing of the runtime that works for a session knows the difference, but for this: an arm's actors begin one by
// one, when their roles come to the `par`, each with a copy of the frame that the `par` stands in; the role itself waits until all its
// arms are over; and what no block of an arm takes up is a failure of the role where the `par` stands.
//
// All roles that take part find the same record by its name: the session that the `par` stands in, which is the root or an arm, the
// instance and attempt of the innermost block there, the arm's static name, and how often the role has come to it in that attempt.
// All of them are in that block, since whoever acts in a block takes part in it.
//
// A role's actors have one Turn (turn.h). Whoever has it may touch all of them, wherever they wait.

#ifndef RUNTIME_ARMS_ARMS_H
#define RUNTIME_ARMS_ARMS_H

#include "runtime/actor/elsewhere.h"
#include "runtime/arms/turn.h"
#include "runtime/session/session.h"

typedef struct Arm Arm;
typedef struct ArmPart ArmPart;

// What an actor that is in a `par` has begun.
typedef struct {
    Block *gate;    // done: it can go on
    ArmPart *begun; // the last first
    size_t running;
    bool has_failed;
    Fault fault;
} Par;

// Of an actor that has arms, or is one.
typedef struct Arms {
    Turn *turn;
    ArmPart *part; // it is this one; NULL: it is the role itself
    Par *par;      // NULL: it has been in none
    struct Arms *next;
} Arms;

// A role's part of an arm.
struct ArmPart {
    Arms arms;
    Arm *arm;
    Actor *actor, *parent;
    Proxy proxy; // the role is isolated: its actor's
    const chx_arm *program;
    chx_frame *frame;             // the first one
    void *room;                   // for its stack
    ArmPart *next;                // its parent has begun before
    uint32_t out_fixed, in_fixed; // channels to and from members of families come behind so many others
    bool is_begun;                // has a stack
    bool is_queued;               // may run
    bool is_taken;                // by its parent, which gives it up
    bool is_over;                 // at its end, where it waits
    bool is_abandoned;            // its parent wants to hear no more of it
    bool is_gone;
};

// The Turn of an actor whose session has arms; NULL: it needs none.
static inline Turn *arms_turn(const Actor *actor)
{
    return actor->arms != NULL ? actor->arms->turn : NULL;
}

// A worker is to run the actor. False: its role is at something else, and it gets its turn later.
static inline bool arms_may_run(Actor *actor)
{
    Turn *turn = arms_turn(actor);
    return turn == NULL || turn_take(turn, actor);
}

// The first actor is about to wait, and the other one, on the same worker, could run in its place: is it its turn? Then it has it.
bool arms_may_follow(const Actor *actor, const Actor *next);

// The actor goes back, or ends: its arms are no more.
void arms_abandon(Actor *actor);
// The actor, which is one of an arm, has ended, is stopped or has failed; as session_actor_left.
void arms_actor_left(Actor *actor, ActorOutcome outcome, Guard *guard);
// No block of the arm takes this up.
void arms_fail(Session *arm, const Fault *fault);
// The block is gone: an arm that not all have come to there is waited for by nobody, and must not be found in the next one.
void arms_forget_block(Session *session, const Block *block);
// One of the session's roles has left it, and its `live` does not say so yet. When all have, arms that are still waited for are not.
void arms_role_left(Session *root);
// The last part of an arm's end: it is freed.
void arms_end(Session *arm);
// The session is over: frees what belonged to all its arms.
void arms_free(Session *root);
// The role is at one of its other arms, and could not go on here if it wanted to.
bool arms_are_kept_waiting(Session *arm, const Block *block);

// ---- isolated roles: their actors are never run here, and all of this is done with the blocks of the session locked ----

// The role, whose actor this is, has come to an arm: its actor there. NULL: no memory.
Actor *arms_enter_elsewhere(Actor *actor, const chx_checkpoint *block);
// The role goes back to where the `par` is, or further. Its process may still be in the arm: arms_leave_elsewhere follows.
void arms_stop_elsewhere(Actor *actor);
// The role has come to the end of the arm, or its process has left it. The arm may be gone then.
void arms_leave_elsewhere(Actor *actor);
// The channel of an arm's actor to this role, or from it. NULL: there is none.
Channel *arms_find_channel(const Actor *actor, unsigned role, bool is_out);

// What a trace calls an arm, and the one that its `par` stands in. 0: it is none.
uint64_t arms_number(const Session *session);
uint64_t arms_number_around(const Session *session);

// All channels of an arm, of which those without operations are not used.
Channel *arms_channels(const Arm *arm, size_t *count);

// The place of a role among an arm's participants.
unsigned arms_place(const Arm *arm, unsigned role);
// The channel of an arm's actor to this role, which is a member of a family, or from it: `out`, `in`.
unsigned arms_channel(const Actor *actor, unsigned role, bool is_out);
// As savepoint_set_epochs does it.
void arms_set_epochs(Actor *actor, const chx_checkpoint *checkpoint, uint32_t epoch,
                     void (*set)(uint32_t *channel, uint32_t epoch, bool may_be_ahead), bool may_be_ahead);
// All channels to an arm's actor.
void arms_each_inbound(Actor *actor, void (*visit)(Actor *actor, Channel *channel));

#endif
