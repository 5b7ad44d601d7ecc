// process.h: the parts of an isolated role's process: process.c is what it does while it runs, process_start.c how it begins
// and ends.

#ifndef RUNTIME_ISOLATION_PROCESS_H
#define RUNTIME_ISOLATION_PROCESS_H

#include "runtime/channel/shm_channel.h"
#include "runtime/isolation/isolated_session.h"
#include "runtime/isolation/isolation.h"
#include "runtime/isolation/zygote.h"
#include "runtime/actor/elsewhere.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/session/session.h"

enum { PROCESS_FAILED = 1 }; // its exit status

// An arm that the role is in.
typedef struct ProcessArm ProcessArm;
struct ProcessArm {
    ProcessArm *outer;
    uint64_t id; // as the program knows it
    const chx_arm *program;
    chx_frame *frame; // that the `par` stands in
    uint32_t par_at;  // where that goes on behind the arm
    size_t depth;     // the role is in so many blocks outside of it
    bool is_over;
    Channel
        *channels; // those that it sends to, those that it receives from; those that are not used have no operations
    Channel **in;
    ShmChannel *shms;
    Channel *outer_out; // what the role had outside
    Channel **outer_in;
};

// What the role has begun in a `par` whose end it has not come to; program NULL: nothing.
typedef struct {
    const chx_arm *program;
    const chx_checkpoint *block;
    chx_frame *frame;
    void *frame_was; // a copy
} ProcessPar;

extern const AwayOps process_away_ops;
extern const ArmOps process_arm_ops;
struct Process {
    Away away; // its actor's
    const Platform *platform;
    Descriptor *files; // as isolated_session.h lists them
    size_t file_count;
    bool *is_kept;     // by file: it is needed beyond the beginning
    SpawnImage *image; // mapped, with what follows it
    size_t image_size;
    ControlBlock *control;
    Doorbell *own_doorbell;
    // Of isolated roles that it has channels to or from, by role; NULL: it has none, or is not isolated.
    Doorbell **doorbells;
    uint64_t goes;    // blocks left, and durable ones that it was let into
    bool is_durable;  // the session is kept in a store
    uint64_t fence;   // for chx_fence
    bool is_entering; // it is in a durable block, and has not been let in
    uint64_t posted;  // control messages so far
    uint64_t control_tail;
    uint64_t spin_budget_ns; // before it sleeps
    chx_buffer buffer;
    Session session;
    ThreadState thread; // simulated: before roles' code ran on it
    Actor *peers;       // by role; only to have something to point to
    ShmChannel *shms;   // of its channels
    size_t shm_count;
    chx_result_slot result;
    bool is_traced;
    ProcessArm *arm;  // the innermost that it is in; NULL: none
    ProcessPar par;   // which it is about to go into
    bool arm_is_over; // and it is about to leave it
};

// The process that plays the actor.
static inline Process *actor_process(const Actor *actor)
{
    return (Process *)(void *)actor->away;
}

typedef enum {
    FOR_ACTOR,  // what self.wants says, or a rollback command
    FOR_ANSWER, // its control messages have been dealt with
    FOR_ROOM,   // for the next control message
} Wait;

extern const ShmSide process_side;

_Noreturn void process_exit(const Process *process, int status);
// Until it is there: looks for a while, then sleeps until the doorbell rings.
void process_await(Process *process, Wait wait);
// The head says how much data follows.
void process_send_control(Process *process, ControlHead head, const void *data);
// Tells the program of the failure and ends the process. Needs no memory: there may be none.
_Noreturn void process_fail(Process *process, const Fault *fault);
// The same, with a fault of the system's.
_Noreturn void process_refuse(Process *process, const char *format, ...) CHX_PRINTF(2, 3);
// Another process has memory again, perhaps: this is a failure like others.
_Noreturn void process_no_memory(Process *process);
// Where a role goes on that goes back to its newest savepoint, or begins there.
uint32_t process_label(Process *process, const Savepoint *savepoint);
// What a channel is made of. The token is in each of its messages.
typedef struct {
    Channel *channel;
    ShmChannel *shm;
    const ImageChannel *from;
    uint32_t token;
    bool sends;
} Wiring;
void process_wire(Process *process, const Wiring *wiring);
// The ends of its outgoing channels.
void process_write_tails(const Actor *actor, chx_writer *writer);

// ---- process_arm.c ----

// The number of the arm that the channel belongs to; 0: of none.
uint32_t process_arm_id(const Process *process, const Channel *channel);
// The role waits only to go into an arm, or to leave it: then it does so.
bool process_turns(const Process *process);
void process_turn(Process *process, Actor *actor);
// Out of the innermost arm.
void process_leave_arm(Process *process);
// The role goes back to the savepoint at this depth.
void process_go_back_from_arms(Process *process, size_t depth);
// The frames are there: the arms that a new process begins in. NULL: done; else why that can't be.
const char *process_restore_arms(Process *process, const void *data);
void process_drop_arms(Process *process);

// The fault as a block of this actor has it.
BlockFault *process_fault_new(const Actor *actor, const SharedFault *shared);

#endif
