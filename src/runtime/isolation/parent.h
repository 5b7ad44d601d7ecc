// parent.h: isolated roles as the program that runs the session sees them.
//
// A runtime has one supervisor thread, or one per set of privileges if the program changes those. It is started with the
// first isolated role, and deals with the control messages of the roles' processes, with their deaths and with what is due
// (restarts, kills). What it and other threads (for a role that fails, for a deadline) do to a role's proxy is serialised by
// the session's block lock.
//
// The supervisor thread is an event loop (event_loop.h), and never walks over all sessions to find the one that needs
// it:
//
//     a process has sent a message       it writes its number into the loop's door, and is found in a table
//     a role is to be looked at later    its timer in the loop's heap: for a restart, a kill, a start or an end that
//                                        takes too long
//     a session needs attention now      its timer `attention`, which is set when the session is stopped, when a process
//                                        could not be started, and the like
//     what may have been missed          the session's timer `look`, ever more rarely while nothing happens
//     whether the zygote still answers   the isolation's timer `ping`
//
// A process that has just sent a message is likely to send more, and is looked at for some microseconds without having to
// ring. At most BUSY_PROXIES processes are polled in that way; the others ring. The thread goes through all
// sessions only where all are concerned: the zygote was lost, the program has closed the descriptors, or the pipe was
// full, so that rings may have been lost, which takes thousands of them.

#ifndef RUNTIME_ISOLATION_PARENT_H
#define RUNTIME_ISOLATION_PARENT_H

#include "runtime/value/codec.h"
#include "runtime/isolation/isolation.h"
#include "runtime/platform/event_loop.h"
#include "runtime/actor/elsewhere.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/session/session.h"
#include "runtime/isolation/isolated_session.h"
#include "runtime/isolation/inherited.h"
#include "runtime/channel/shm_channel.h"
#include "runtime/isolation/zygote.h"

enum {
    ROLLBACK_GRACE_NS = 2000000, // when a block's time is up: a role that does not obey the command by then is killed
    READY_GRACE_NS = 200000000,  // one that obeys it has so much longer to say that it has come back
    RESTARTS_AT_ONCE = 3,        // after so many deaths without progress, each restart waits,
    RESTART_DELAY_NS = 1000000,  // twice as long each time,
    RESTART_DELAY_MAX_NS = 1000000000, // up to this
    SUPERVISOR_SPIN_NS =
        20000, // the supervisor thread looks for a process's next message before the process has to ring
    SUPERVISOR_SPIN_DENSE_NS = 100000, // the same if its last two messages were
    SUPERVISOR_DENSE_NS = 50000,       // no further apart than that
    CONTROLS_PER_TURN = 256,           // control messages of a process that are taken without looking at others
    CONTROLS_ALL = CONTROLS_BYTES / sizeof(ControlHead) + 1, // no more can be there at once
    BUSY_PROXIES = 64,
    PROXY_BUCKETS = 4096,      // so many that the lists stay short, whatever number of processes a machine can run
    SAVED_MAX_BYTES = 1 << 30, // of what a role has saved for the blocks that it is in
    SAVEPOINT_BYTES = 512,     // each block counts as so many of these, besides what was saved
    VIOLATIONS_MAX = 16,       // that one process may report without a reason that can be seen here
    ARMS_NESTED_MAX = 1000,
    VALUE_CHECKED_MAX_BYTES = 1 << 20, // larger values are checked by their receiver only
    UNSPAWNED_MAX = 3,                 // so often the zygote may be lost before the role's process has begun
    UNASKED_MAX = 50,   // so often the zygote can't be asked to kill the process; then the zygote is killed
    UNANSWERED_MAX = 2, // so often the killed process has not ended, and the zygote not answered; then it is killed
    SILENCE_LOOKS = 20, // so often, LOOK_MIN_NS apart, the zygote has not answered a ping: 5 seconds in all
    LOOK_MIN_NS = 250000000, // the supervisor thread looks after a session when nothing has happened for so long,
};
#define LOOK_MAX_NS UINT64_C(16000000000)  // then twice as long each time, up to this
#define PING_MIN_NS UINT64_C(2000000000)   // the zygote is not asked more often than that whether it listens
#define BEGIN_MAX_NS UINT64_C(10000000000) // from asking for a process until it has begun
#define END_MAX_NS UINT64_C(2000000000)    // from a kill to the end; then the zygote is asked whether it listens

typedef enum {
    PROXY_NEW,
    PROXY_ALIVE, // there is a process
    PROXY_WAITS, // it is dead; another is to be started at restart_ns
    PROXY_LEFT,  // it has ended, or was stopped: it no longer counts among the session's live ones
} ProxyState;

// A part of a file that has been a ring of an arm that is over.
typedef struct SpareRing SpareRing;
struct SpareRing {
    SpareRing *next;
    uint64_t at;
};

// One of the session's files; isolated_session.h says which there are.
typedef struct {
    Descriptor descriptor; // none: it has not been made yet
    uint64_t bytes;        // as far as it is planned
    SpareRing *spare;
    const RoleProxy *listed; // the role that it was last listed for, and its place in that list
    uint32_t position;
} SharedFile;

typedef struct {
    SharedFile *file;
    uint64_t at;
} SharedPlace;

// An arm that the role is in.
typedef struct ProxyArm ProxyArm;
struct ProxyArm {
    ProxyArm *outer;
    Actor *actor, *parent; // the role's there, and where the `par` is
    uint32_t id;           // unique for this role
    uint32_t site;
    uint32_t level; // from 1 on
    uint32_t depth; // the role is in so many blocks outside of it
    ArmRequest request;
    unsigned char tails[]; // of the outgoing channels where the `par` is: RingPoint
};

struct RoleProxy {
    Proxy proxy; // what the recovery machine knows of it
    IsolatedSession *isolated;
    Actor
        *actor; // its place in this process: savepoints, epochs of its channels, counters. In an arm it has another one
    ProxyArm *arm;      // the innermost that it is in; NULL: none
    ProxyArm *given_up; // those that its process may not have left yet
    uint32_t last_arm;
    ControlBlock *control;
    Doorbell *doorbell;
    SharedFile *own;
    SharedPlace doorbell_place;
    Descriptor recall;       // written to when the role is called back: its process has the other end
    unsigned isolated_peers; // how many isolated roles it has channels to or from
    ProxyState state;
    uint64_t id; // of the process; 0: none
    RoleProxy *next_by_id;
    LoopTimer timer;       // for the earliest of its times, below
    uint64_t scheduled_ns; // what the timer was last set to; UINT64_MAX: never; 0: it is not known
    uint64_t busy_ns;      // until then the supervisor thread looks at it though it does not ring; 0: it does not
    uint64_t heard_ns;     // when its last message was taken
    bool is_recovered;     // its time was up when it obeyed the command already
    // What the control block should contain; the process may have written anything there.
    uint64_t goes, answered; // goes: blocks left, and durable ones that it was let into
    bool waits_for_store;    // it is in a durable block, and has not been let in
    uint64_t control_head;
    uint32_t late;
    uint32_t command_number;
    chx_buffer message;        // the control message, as far as it has been read
    size_t saved_bytes;        // of its savepoints
    unsigned char *next_round; // at the end of a round: what it saves for the next one
    uint32_t next_round_bytes;
    unsigned violations;          // that this process has reported without a reason
    chx_buffer begin;             // the snapshot that it begins with
    chx_buffer sandbox;           // as sandbox_write has written it; empty: it has none
    Fault fault;                  // why the process is to be killed; of kind CHX_FAULT_NONE: it is not to be
    uint64_t kill_ns, restart_ns; // when it is to be killed, or restarted; 0: never
    uint64_t begin_ns, end_ns;    // when it must have begun or, having been killed, have ended; 0: never
    uint64_t killed_ns;           // when the zygote was asked to kill it; 0: it could not be asked
    unsigned unanswered, unasked; // since it was to be killed, as UNANSWERED_MAX and UNASKED_MAX say
    uint64_t generation;          // of the zygote that was asked for its process
    unsigned unspawned;           // so often the zygote was lost before it had begun
    unsigned deaths;              // since it last entered or left a block
};

// It begins in a durable block, and need not wait to be let in.
bool proxy_is_let_in(const RoleProxy *proxy);

extern const ProxyOps role_proxy_ops;
RoleProxy *arm_role_proxy(const Actor *actor);
// The isolated role that the actor stands for, in an arm, too; NULL: it is not isolated.
static inline RoleProxy *role_proxy(const Actor *actor)
{
    Proxy *proxy = actor->proxy;
    if (proxy != NULL && proxy->ops == &arm_proxy_ops)
        return arm_role_proxy(actor);
    return proxy != NULL && proxy->ops == &role_proxy_ops ? (RoleProxy *)(void *)proxy : NULL;
}

struct IsolatedSession {
    Session *session;
    struct Isolation *isolation;
    IsolatedSession *next, **link; // among the isolation's; what points to this one
    SharedFile *files;
    size_t file_count;
    SharedPlace *rings;        // by channel; file NULL: both ends are here
    LoopTimer attention, look; // of the supervisor thread, as described above
    uint64_t look_every_ns;
    RoleProxy *proxies; // in role order
    unsigned proxy_count, left_count, given_back;
    bool slept;        // all roles did when they were last looked at
    uint64_t progress; // what had happened by then
    const char *
        lacks; // what was missing when a block could not begin again: the supervisor thread ends the session; NULL: nothing
    pthread_mutex_t spare_lock; // of the files' spare rings and sizes
    ShmChannel *shm;            // by channel; not mapped: both ends are here
};

// What starts and looks after the isolated roles of sessions that were started with the same privileges and
// surroundings. A runtime has a list of them: one, as long as the program changes nothing of that.
typedef struct Isolation {
    chx_runtime *runtime;
    struct Isolation *older;
    Inherited inherited;  // what its thread and its zygote have
    _Atomic size_t users; // sessions
    pthread_mutex_t lock; // of what follows
    IsolatedSession *isolated_sessions;
    RoleProxy *by_id[PROXY_BUCKETS]; // roles by the number of their process: lists, chained by next_by_id
    uint64_t last_id;
    Zygote zygote;
    EventLoop loop; // the supervisor thread; processes write their numbers into its door
    // Only the supervisor thread's:
    LoopTimer ping;
    uint64_t ping_ns, pinged_ns; // the next time, the last time; UINT64_MAX: no next time is known
    uint64_t ping_every_ns;
    bool awaits_answer; // to a ping
    RoleProxy *busy[BUSY_PROXIES];
    unsigned busy_count;
} Isolation;

// ---- files.c: which memory is shared with which processes ----

// Decides which files there are, makes and maps them: for the session's isolated roles and all channels to and from them.
// False: they can't be had; errno says why.
bool isolated_make_files(IsolatedSession *isolated);
void isolated_release_files(IsolatedSession *isolated);

// A ring for an arm, in the file, which is made larger for it. False: it can't be had; errno says why.
bool isolated_take_ring(IsolatedSession *isolated, SharedFile *file, uint64_t *at);
void isolated_give_ring(IsolatedSession *isolated, SharedFile *file, uint64_t at);
// Makes the channel one through this ring, which is mapped.
void isolated_init_channel(IsolatedSession *isolated, Channel *channel, ShmChannel *shm, uint32_t number);

typedef struct {
    int *list;
    size_t count;
    Descriptor image, recall; // among them; only made for this list
} FileList;
// All files that the role's process is given. In any case the caller frees the list and closes these two. False: the files
// can't be had; errno says why.
bool proxy_list_files(RoleProxy *proxy, FileList *files);
// The process is called back: makes its end of `recall` readable.
void proxy_recall(const RoleProxy *proxy);
// Where this lies, for the process that the files were listed for last.
GivenPlace proxy_given(const RoleProxy *proxy, SharedPlace place);

// ---- process_image.c ----

// Tells the process to go back to the block of this savepoint.
void proxy_command(RoleProxy *proxy, const Savepoint *savepoint);
// A file with what a new process must know, once its files are listed. None: errno says why.
Descriptor proxy_image_file(const RoleProxy *proxy);

// ---- control.c ----

// With the session's block lock held: takes so many control messages of the process, if there are so many.
void proxy_take_controls(RoleProxy *proxy, unsigned count);

// ---- arm_proxy.c: all with the session's block lock held ----

// The role's actor in the session itself.
Actor *proxy_main(const RoleProxy *proxy);
// As the processes know it: 0: it is in no arm.
uint32_t proxy_arm_id(const RoleProxy *proxy);
// The role is in so many blocks outside of the arm that it is in.
uint32_t proxy_depth(const RoleProxy *proxy);
// The channel at this place of the role's sends_to or receives_from. NULL: of an arm that this role does not take part in.
Channel *actor_out(const Actor *actor, size_t place);
Channel *actor_in(const Actor *actor, size_t place);
// All channels of an arm, as its process is told of them.
void arm_channels(const Actor *actor, ArmChannel *told);
// The process begins an arm, or is at the end of one; as the functions of control.c.
bool control_arm(RoleProxy *proxy, const ControlHead *head, const void *data);
bool control_arm_end(RoleProxy *proxy, const ControlHead *head, const void *data);
// The role goes back beyond the innermost arm; it keeps its memory until proxy_leave_given_up: the process has obeyed, or is dead.
void proxy_give_up_arm(RoleProxy *proxy);
void proxy_leave_given_up(RoleProxy *proxy);
// As ProxyOps has it, for the role's actor in the session or in an arm.
void proxy_roll_back_in(RoleProxy *proxy, Actor *actor);
// Whoever waits in an arm for a channel of this role looks again.
void proxy_wake_arms(const RoleProxy *proxy);

// ---- role_proxy.c: all with the session's block lock held ----

// As ProxyOps has it, for the actor that it has now.
void proxy_roll_back(RoleProxy *proxy);
void proxy_go(RoleProxy *proxy, Block *block);
// It is in no block of its session, or arm, any more.
void proxy_abandon_blocks(RoleProxy *proxy);

// The process is dead. `status` as of waitpid.
void proxy_died(RoleProxy *proxy, int status);
// The process is to be killed, for this reason. Does nothing if it is to be killed already.
void proxy_set_kill_pending(RoleProxy *proxy, chx_fault_kind kind, const char *format, ...) CHX_PRINTF(3, 4);
// The session fails because of this role, unless it has failed before.
void proxy_fail_session(RoleProxy *proxy, chx_fault_kind kind, const char *format, ...) CHX_PRINTF(3, 4);
// What the process has written into a channel to or from `peer` can't be right.
void proxy_blame(RoleProxy *proxy, const char *peer);
// The role has been rolled back because a block's time was up: if it does not come back soon it is killed.
void proxy_hurry(RoleProxy *proxy);
// Does what is due now.
void proxy_run_timers(RoleProxy *proxy, uint64_t now_ns);
// When it wants to be looked at again. UINT64_MAX: never.
uint64_t proxy_next_ns(const RoleProxy *proxy);
// Sets its timer to that.
void proxy_schedule(RoleProxy *proxy);
// The zygote was lost, and with it the process, if there was one by then.
void proxy_orphan(RoleProxy *proxy);
// There are descriptors that the program has closed: no process can be reached any more, and the session fails. Only on the
// supervisor thread.
void proxy_lost_touch(RoleProxy *proxy);
// No process could be started.
void proxy_not_spawned(RoleProxy *proxy, int error);
// Asks for a process.
void proxy_spawn(RoleProxy *proxy);
// The role has ended, or is stopped. Only on the supervisor thread, which takes it from the session's count of live roles
// when the lock is released.
void proxy_leave(RoleProxy *proxy);

// ---- validate.c ----

// What the process wrote as a value of this type: is it one? The value is then owned. As value_decode.
DecodeResult proxy_decode(RoleProxy *proxy, const chx_type *type, void *value, const void *data, size_t size,
                          Fault *fault);
// Can the record that stands in a channel (the context) be a message?
bool proxy_item_is_valid(void *context, Ring *ring, const RingItem *item);
// Its consumer, or its producer, says that the other end of the channel breaks the rules in this way: can that be seen here?
bool proxy_violation_holds(Channel *channel, bool for_consumer, Violation about);
// Cuts off what makes no sense of what a dead process has sent. Only what was sent in the attempt that is over may be lost.
// False: more is.
bool proxy_repair(RoleProxy *proxy);

// ---- watch.c: all with the session's block lock held ----

// The role looks again at what it waits for.
void actor_nudge(Actor *actor);
// All roles of the session do, even if a process has written over what they wait for.
void isolated_wake_all(IsolatedSession *isolated);
// If a role has ended that others wait for in a block, the session fails.
void isolated_look_for_ended(IsolatedSession *isolated);
// If all roles sleep, were woken to look, and sleep again, and nothing has happened meanwhile, the session fails. A
// choreography never comes to that, unless a process has written over what another one reads, or has got lost. To be called
// before isolated_wake_all, from time to time.
void isolated_look_for_deadlock(IsolatedSession *isolated);

// ---- proxy_table.c ----

// Gives the role a new process number, by which it is found until isolation_forget.
void isolation_list(RoleProxy *proxy);
void isolation_forget(RoleProxy *proxy);
// NULL: there is none with this number.
RoleProxy *isolation_find(Isolation *isolation, uint64_t id);

// ---- supervisor.c ----

// The isolation whose processes inherit what the calling thread has now; made on first use. It is to be given back. NULL:
// it can't be had, the status and the thread's report say why.
Isolation *isolation_get(chx_runtime *runtime, const char *file, chx_status *status);
void isolation_give_back(Isolation *isolation);
// From the first call until the second one the session's roles can be started.
void isolation_add(IsolatedSession *isolated);
void isolation_remove(IsolatedSession *isolated);
// From now on the process is looked at only if it rings. On the supervisor thread.
void proxy_rest(RoleProxy *proxy);
// Processes have rung: the supervisor thread looks at these.
void isolation_answer(void *isolation);
// An isolation without a zygote and without a thread.
void isolation_init(Isolation *isolation, chx_runtime *runtime);
// Only the zygote is told of a process's end: asks it whether it still listens, or looks for its answer to the last time.
// One that does not answer is killed. True: it owes an answer, to be looked for after LOOK_MIN_NS.
bool isolation_ping(Isolation *isolation, uint64_t now_ns);

void isolated_block_lock(IsolatedSession *isolated);
// Takes the roles that have left meanwhile from the session's count: afterwards the session may be gone.
void isolated_block_unlock(IsolatedSession *isolated);

#endif
