// isolated session.h: what a session and its isolated roles share: memory in files, each of which is given only to those that need
// what is in it. Whoever has a file can map all of it, so the files are the borders; files.c decides what goes where.
//
//     a role's own file    its control block (commands to it, control messages from it), its rings to     the parent and the role
//                          and from roles of the parent's process
//     a pair's file        the rings between two isolated roles                     the parent and the two
//     a role's doorbell        slept on by the role, rung by those that it has rings    the parent, the role and those
//                          to or from. Where these are one or none, it lies in
//                          the pair's file or in the role's own
//
// A ring is its words, its bytes and its large area, one after the other. No file can be made smaller or larger by anybody:
// a truncated one would be a SIGBUS for all others.
//
// An isolated role is two things: in the parent an Actor that is never run (its position: the blocks it is in, what it
// saved), and the process, which has the frames. They talk through the control block: control messages go to the parent, in order; an order
// (go back to that block, in that attempt) goes to the process, the newest one counts.

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
    _Alignas(CACHE_LINE) _Atomic uint32_t word; // rises when there is something for the role; slept on
    _Atomic uint32_t sleeps;                    // somebody does, or is about to
} Doorbell;

// Back to the block at this depth, in this attempt.
typedef struct {
    uint32_t number; // of the command
    uint32_t depth, attempt, epoch;
    uint64_t goes; // blocks left so far
    chx_fault_kind kind;
    int signal, line;
    char role[NAME_SIZE], why[REPORT_WHY_SIZE];
} RollbackCommand;

typedef struct {
    // The parent's.
    _Alignas(CACHE_LINE) _Atomic uint32_t generation; // the number of the latest command
    _Atomic uint32_t command_lock;                    // odd: it is being written
    RollbackCommand command;
    // Twice the number of the command; one more: the process obeys it; COMMAND_REVOKED: it is to be killed instead.
    _Atomic uint64_t command_state;
    _Atomic uint32_t late; // so many recoveries, or fewer, were begun of blocks that it has not reached
    _Alignas(CACHE_LINE) _Atomic uint64_t goes; // so many of its blocks are done and left
    _Atomic uint64_t answered;                  // control messages that have been dealt with
    _Atomic uint64_t control_head;              // bytes
    _Atomic uint32_t supervisor_awake;          // no need to ring for it
    // The process's.
    _Alignas(CACHE_LINE) _Atomic uint64_t control_tail;
    _Atomic uint32_t controls_wait; // for room
    _Atomic uint32_t answer_wait;   // for `answered`
    _Atomic uint32_t begun;         // there is a process, and it has come as far as its own code
    _Atomic uint64_t asleep;        // 0: it is not; else the doorbell's word that it sleeps on, + 1
    unsigned char controls[CONTROLS_BYTES];
    _Alignas(CACHE_LINE) Actor actor; // here so that its step is known when it has been killed
} ControlBlock;

typedef enum {
    CONTROL_ENTER = 1, // PostEnter, tails of the outgoing channels, what it saved: snapshot_save
    CONTROL_ARRIVE,    // uint32_t site
    CONTROL_READY,     // PostReady
    CONTROL_FAIL,      // PostFail, why
    CONTROL_END,       // the encoded result
    CONTROL_WAKE,      // uint32_t channel, uint32_t 1: its producer
    CONTROL_COMPLAIN,  // uint32_t channel, uint32_t about: Violation
} ControlKind;

typedef struct {
    uint32_t size; // of what follows
    uint32_t kind;
} ControlHead;

typedef struct {
    uint32_t site, tails;
} ControlEnter;

typedef struct {
    uint32_t epoch;
} ControlReady;

typedef struct {
    int32_t kind, signal;
    uint32_t site, reserved;
} ControlFail;

// The files that a new process is given, in this order; then those that it shares with other isolated roles; last the
// trace, if there is one.
enum { GIVEN_IMAGE, GIVEN_DOORBELL, GIVEN_OWN, GIVEN_OTHERS };

// Where something lies: a file, by its place among the given ones, and an offset.
typedef struct {
    uint32_t file;
    uint64_t at;
} GivenPlace;

// What a new process is told, in a file: this, the channels it sends to, those it receives from, its sandbox, then its
// snapshots (snapshot_save), each with an ImagePiece before it: that of its beginning, or, when it is in blocks, one for each of
// them, outermost first.
typedef struct {
    uint32_t layout; // IMAGE_LAYOUT
    uint32_t role, role_count, definition;
    uint32_t has_trace;
    uint32_t sandbox_size; // 0: it has none
    GivenPlace doorbell;
    uint64_t digest, token[2];
    uint64_t id; // of the process: what it rings with
    uint64_t message_limit, byte_limit;
    uint64_t goes, answered;
    uint32_t generation, savepoints;
    uint32_t out_count, in_count, epoch;
    uint64_t trace, trace_start_ns;
    uint64_t float_control; // as in Session
    chx_fault_kind kind;
    int signal, line;
    char fault_role[NAME_SIZE], why[REPORT_WHY_SIZE];
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

static inline size_t page_up(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

enum { RING_FILE_BYTES = PAGE + RING_BYTES };
#define RING_WHOLE_BYTES ((uint64_t)RING_FILE_BYTES + RING_LARGE_BYTES)

// The role's block with this number. NULL: it has none.
const chx_checkpoint *role_checkpoint(const chx_role *role, uint32_t site);

// Maps a part of the file. NULL: it can't be had.
void *isolated_map(int file, size_t offset, size_t bytes);
// Maps a channel's ring, which lies at this offset. False: it can't be had.
bool isolated_map_ring(Ring *ring, const Descriptor *file, size_t at, uint32_t token);
void isolated_unmap_ring(Ring *ring);
// Maps the doorbell that lies at this offset, with the page that it is on. NULL: it can't be had.
Doorbell *isolated_map_doorbell(int file, size_t at);
void isolated_unmap_doorbell(Doorbell *doorbell);

// Something has happened to what this role waits for.
void doorbell_ring(Doorbell *doorbell);
// The same where others may have written over the doorbell: it is woken whatever stands there.
void doorbell_wake(Doorbell *doorbell);
// Sleeps until the doorbell has been rung since `seen`.
void doorbell_sleep(Doorbell *doorbell, uint32_t seen);

#endif
