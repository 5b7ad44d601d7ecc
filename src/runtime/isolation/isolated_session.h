// isolated_session.h: what a session and its isolated roles share: memory in files. Each file is given only to the processes
// that need what is in it. A process that has a file can map all of it, so what must be kept apart lies in different files;
// files.c decides what goes where. The parent, which is the program that runs the session, has all of them.
//
//     a role's own file    its control block (commands to it, control messages from it), and its rings to and from roles
//                          that are not isolated. Given to the role
//     a pair's file        the rings between two isolated roles. Given to these two
//     a role's doorbell    the role sleeps on it, and those that it has rings to or from ring it. Given to all of them.
//                          If only one of them is isolated the doorbell lies in the pair's file, and if none is, in the
//                          role's own file
//
// A ring is its words, its bytes and its large area, one after the other. No file can be made smaller: that would be a SIGBUS for
// all others. Nor larger, unless roles of the session have arms: the parent makes files larger for their rings.
//
// An isolated role is two things: in the parent an Actor that is never run (its position: the blocks that it is in, and what
// it saved), and the process, which has the frames. They talk through the control block. Control messages go to the parent,
// in order. A rollback command (go back to that block, in that attempt) goes to the process; only the newest one counts.

#ifndef RUNTIME_ISOLATION_ISOLATED_SESSION_H
#define RUNTIME_ISOLATION_ISOLATED_SESSION_H

#include "runtime/actor/actor.h"
#include "runtime/channel/ring.h"

enum {
    PAGE = 4096,
    CONTROLS_BYTES = 1 << 16,
    CONTROL_MAX_BYTES = 1 << 30,
    NAME_SIZE = 256,
    COMMAND_REVOKED = 0,
};

typedef struct {
    _Alignas(CACHE_LINE) _Atomic uint32_t word; // rises when there is something for the role, which sleeps on it
    _Atomic uint32_t sleeps;                    // the role does, or is about to
} Doorbell;

// A failure, as the process is told of it.
typedef struct {
    chx_fault_kind kind;
    int signal, line;
    char role[NAME_SIZE], why[REPORT_WHY_SIZE];
} SharedFault;

// Back to the block at this depth, in this attempt.
typedef struct {
    uint32_t number; // of the command
    uint32_t depth, attempt, epoch;
    uint64_t goes; // blocks left so far
    SharedFault fault;
} RollbackCommand;

typedef struct {
    // The parent's.
    _Alignas(CACHE_LINE) _Atomic uint32_t generation; // the number of the latest command
    _Atomic uint32_t command_lock;                    // odd: it is being written
    RollbackCommand command;
    // Twice the number of the command; one more: the process obeys it; COMMAND_REVOKED: it is to be killed instead.
    _Atomic uint64_t command_state;
    _Atomic uint32_t late; // at most so many recoveries were begun of blocks that it has not reached
    _Alignas(CACHE_LINE) _Atomic uint64_t goes; // so many of its blocks are done and left
    _Atomic uint64_t answered;                  // control messages that have been dealt with
    _Atomic uint64_t control_head;              // bytes
    _Atomic uint32_t supervisor_awake;          // the supervisor thread looks without being rung for
    // The process's.
    _Alignas(CACHE_LINE) _Atomic uint64_t control_tail;
    _Atomic uint32_t supervisor_awaited; // it waits for room, or for `answered`
    _Atomic uint32_t begun;              // there is a process, and it has come as far as its own code
    _Atomic uint64_t asleep;             // 0: it is not; else the doorbell's word that it sleeps on, + 1
    unsigned char controls[CONTROLS_BYTES];
    _Alignas(CACHE_LINE) Actor actor; // here so that its step is known when it has been killed
} ControlBlock;

typedef enum {
    CONTROL_ENTER = 1, // the block; followed by the tails of the outgoing channels and what it saved: snapshot_save
    CONTROL_ARRIVE,    // the block; the outermost, if it is durable, followed by what the role holds behind it
    CONTROL_RENEW,     // the block, at the end of a round; followed as CONTROL_ENTER
    CONTROL_READY,     // the epoch
    CONTROL_FAIL,      // the site, the kind of the fault; followed by why
    CONTROL_END,       // followed by the encoded result
    CONTROL_WAKE,      // the channel's number; 1: its producer, 0: its consumer
    CONTROL_COMPLAIN,  // the channel's number, the Violation
    CONTROL_ARM,     // the site of an arm that begins; followed by an ArmRequest and the tails of the outgoing channels
    CONTROL_ARM_END, // it is in no block, and leaves the arm
} ControlKind;
// Channels are those of the arm that the process is in: CONTROL_WAKE and CONTROL_COMPLAIN have its number, too, times this, in `what`;
// CONTROL_READY has it there as it is.
enum { CONTROL_ARM_FACTOR = 16 };

typedef struct {
    uint32_t size; // of what follows
    uint32_t kind;
    uint32_t about, what; // as listed above
} ControlHead;

// The files that a new process is given, in this order: what it begins with, what it rings with, what is readable when it is
// called back, and its own; then those that it shares with other isolated roles; last the
// trace, if there is one.
enum { GIVEN_IMAGE, GIVEN_DOORBELL, GIVEN_RECALL, GIVEN_OWN, GIVEN_OTHERS };

// Where something lies: a file, by its place among the given ones, and an offset.
typedef struct {
    uint32_t file;
    uint64_t at;
} GivenPlace;

// What a process writes to the trace.
enum { TRACE_NONE, TRACE_EVENTS, TRACE_VALUES };

// What the process says of an arm that it begins.
typedef struct {
    uint32_t par_at; // where its frame goes on behind the arm
    uint32_t frame;  // which one that is: so many are below it
} ArmRequest;

// A channel of an arm. The peer, and the file that the ring is in, are those of the session's channel in this place.
typedef struct {
    uint64_t ring_at;
    uint32_t number, token, epoch;
    uint32_t is_there; // 0: the peer does not take part in the arm
} ArmChannel;

// Behind the control block, in the role's own file: what the program answers to CONTROL_ARM.
typedef struct {
    uint64_t answers; // the number of the control message
    uint64_t id;      // of the arm
    ArmChannel channels[];
} ArmReply;
static inline size_t arm_reply_bytes(const chx_role *role)
{
    size_t bytes = sizeof(ArmReply) + (role->sends_to_count + role->receives_from_count) * sizeof(ArmChannel);
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

// What a new process is told of an arm that it is in; its channels follow.
typedef struct {
    uint64_t id;
    uint32_t site, depth;
    ArmRequest request;
} ImageArm;

// What a new process is told, in a file: this, the channels it sends to, those it receives from, the sizes of families, the arms that it is
// in, outermost first, each with its channels, its sandbox, then its snapshots (snapshot_save), each with an ImagePiece before it: that of its beginning, or, when it is in blocks, one for each of
// them, outermost first.
typedef struct {
    uint32_t layout; // IMAGE_LAYOUT
    uint32_t role, role_count, definition;
    uint32_t has_trace;    // TRACE_NONE ...
    uint32_t sandbox_size; // 0: it has none
    uint32_t size_count;   // of families: for each role of the choreography one; 0: it has no families
    uint32_t arm_count;
    GivenPlace doorbell;
    uint64_t digest, token[2];
    uint64_t id; // of the process: what it rings with
    uint64_t message_limit, byte_limit;
    uint64_t goes, answered;
    bool is_durable; // the session is kept in a store
    uint64_t fence;
    uint32_t generation, savepoints;
    uint32_t out_count, in_count, epoch;
    uint64_t trace, trace_start_ns;
    uint64_t float_control; // as in Session
    SharedFault fault;      // of the innermost block, if it is in one
    char choreography[NAME_SIZE], implementation[NAME_SIZE];
} SpawnImage;
#define IMAGE_LAYOUT ((uint32_t)(sizeof(SpawnImage) << 16 | sizeof(ControlBlock) % 65536))

typedef struct {
    uint32_t number, peer, epoch;
    bool peer_is_isolated;
    GivenPlace ring, doorbell; // the doorbell is the peer's, if that is isolated
    char peer_name[NAME_SIZE];
} ImageChannel;

typedef struct {
    uint32_t site, attempt; // of the block; 0: the beginning
    uint64_t size;          // of the snapshot
} ImagePiece;

// ---- where things lie ----

enum {
    CONTROL_FILE_BYTES = (sizeof(ControlBlock) + PAGE - 1) / PAGE * PAGE,
    RING_FILE_BYTES = PAGE + RING_BYTES,
};
#define RING_WHOLE_BYTES ((uint64_t)RING_FILE_BYTES + RING_LARGE_BYTES)

// Maps a part of the file. NULL: it can't be had.
void *isolated_map(int file, size_t offset, size_t bytes);
// Maps a channel's ring, which lies at this offset. False: it can't be had.
bool isolated_map_ring(Ring *ring, const Descriptor *file, size_t at, uint32_t token);
void isolated_unmap_ring(Ring *ring);
// Maps the doorbell that lies at this offset, with the page that it is on. NULL: it can't be had.
Doorbell *isolated_map_doorbell(int file, size_t at);
void isolated_unmap_doorbell(Doorbell *doorbell);

// Something has happened to what the role waits for: wakes it if it sleeps.
void doorbell_ring(Doorbell *doorbell);
// The same where a process may have written over the doorbell: wakes the role whatever stands there.
void doorbell_wake(Doorbell *doorbell);
// Sleeps until the doorbell has been rung since `seen`.
void doorbell_sleep(Doorbell *doorbell, uint32_t seen);

#endif
