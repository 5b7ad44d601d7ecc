// home.h: one session whose roles are on several hosts, at the node where it is decided.
//
// Joins, reports, losses of nodes and time come in; orders go out. It is a pure machine: no threads, no clock, no input or output.
// Whoever uses it sees to one call at a time; an effect must not call it again. What it does for which report is section 3 of
// docs/hosts-protocol.md; what a failure means for blocks is decided by the recovery machine, the same as for roles in one
// program (runtime/recovery/machine.h).
//
// The tables of a choreography (HomeTable) are made once and shared by its sessions.

#ifndef NET_HOME_HOME_H
#define NET_HOME_HOME_H

#include "net/session/blocks.h"
#include "net/session/window.h"
#include "runtime/durable/cut.h"
#include "runtime/recovery/machine.h"

// ---- a choreography, for all of its sessions ----

typedef struct {
    const char *name;
    const char *const *roles;
    uint16_t role_count;
    uint64_t protocol; // digest
    const chx_block *blocks;
    size_t block_count;
    chx_checkpoint *checkpoints; // of each block, one for each participant
    size_t *first;               // where those of each block begin
    const NetMemory *memory;
} HomeTable;

typedef struct {
    const char *name;
    const char *const *roles;
    size_t role_count;
    uint64_t protocol;
    const chx_block *blocks; // sorted by name; has to stay
    size_t block_count;
} HomeChoreography;
// False: no memory, or there are more roles than frames can name.
bool home_table_init(HomeTable *table, const HomeChoreography *choreography, const NetMemory *memory);
void home_table_fini(HomeTable *table);

// ---- a session ----

typedef enum {
    HOME_GOOD,
    HOME_NO_MEMORY, // nothing was done; the frame has to come again
    HOME_VIOLATION, // who keeps to the protocol does not say that (L7)
} HomeVerdict;

typedef struct {
    // An order to a life at this node, behind all orders before. False: no memory.
    bool (*order)(void *context, uint32_t node, WireKind kind, const void *frame);
    // What an ended role has kept for another. False: there is no room in the link now; home_release when there is.
    bool (*give)(void *context, uint32_t node, const WireData *data);
    // Where a new life of the role can begin now: `last` (0: it had none) if its link is up, else a node that offers the role. 0:
    // nowhere yet.
    uint32_t (*place)(void *context, unsigned role, uint32_t last);
    // Name and address of a node. They have to stay valid during the call only.
    void (*describe)(void *context, uint32_t node, WireSpan *name, WireSpan *address);
    // The outcome, once. `fault`: why, if it is not CHX_OK; its texts have to be copied.
    void (*over)(void *context, chx_status status, const WireFault *fault);
    // 16 random bytes. NULL: lives get no seat keys.
    void (*seat_key)(void *context, WireId *key);
    // A life of the role begins at this node: it is told when the store allows.
    void (*sit)(void *context, unsigned role, uint32_t node);
    // Of a durable session. There is something to commit: home_take_change, later.
    void (*commit)(void *context);
    // Somebody else decides about the session now: nothing more is said (C9).
    void (*lost)(void *context);
} HomeEffects;

// How many lives of a role may be lost.
typedef struct {
    unsigned max;       // within the period; 0: any number
    uint64_t period_ns; // 0: the whole session
} HomeRestarts;

typedef struct {
    const HomeTable *table;
    const char *definition;
    uint64_t session; // random, not 0
    WireId token;
    WireSpan name;   // of the session; has to stay
    WireSpan opener; // name of the node that has asked for it; empty: it has none. Has to stay
    uint64_t term;
    bool is_durable;              // it is kept in a store (docs/hosts-protocol.md, section 5)
    WireSpan space;               // whose names its name is one of. Has to stay
    uint32_t self;                // number of the home's own node
    WindowLimits limits;          // of all channels of the session
    uint32_t message_max;         // bytes of the largest frame that travels; 0: WIRE_MESSAGE_DEFAULT
    uint64_t suspect_ns;          // after so long, one of two roles that can't reach each other is given up; 0: never
    uint64_t absent_ns;           // so long a role may have no life; 0: for ever
    const HomeRestarts *restarts; // by role, have to stay; NULL: any number
    const WireSpan *arguments;    // by role, encoded, have to stay; NULL: roles have their own
    const unsigned
        *participants; // roles that have something to do, ascending; the others are not waited for. Has to stay
    uint32_t participant_count; // 0: all have
    const NetMemory *memory;
    const HomeEffects *effects;
    void *context;
} HomeOptions;

typedef enum { HOME_ABSENT, HOME_RUNNING, HOME_AWAITED, HOME_ENDED } HomeState;

typedef struct {
    unsigned role;
    uint32_t node;
    uint64_t request;
    bool is_anonymous;   // has no certificate for the role: comes back with the seat key only
    bool may_be_standby; // the role is a pool
    WireId seat_key;     // as in JOIN; 0: none
} HomeJoin;

typedef struct HomeRole HomeRole;
typedef struct HomeHanded HomeHanded;
typedef struct HomeStandby HomeStandby;
typedef struct Deadline HomeDeadline;
typedef struct HomeFault HomeFault;
typedef struct HomeComplaint HomeComplaint;
typedef struct HomeWithheld HomeWithheld;

typedef struct {
    HomeOptions options;
    Recovery recovery;
    HomeRole *roles;
    uint16_t open;     // so many roles have to come to their ends: participants, and others that have begun
    uint16_t absent;   // so many participants have no life
    uint32_t restarts; // so many lives were lost and replaced
    bool is_over;
    bool owes_stop;    // to some role, for want of memory
    bool lacks_memory; // an order could not be given
    chx_status status;
    uint64_t now_ns;
    HomeDeadline *deadlines; // of blocks
    HomeHanded *handed;      // what ended roles have kept for others
    HomeStandby *standbys;
    HomeComplaint *complaints; // who can't reach whom
    Cut cut;                   // of a durable session
    bool is_kept;              // the session is in the store, or about to be
    uint16_t based;            // so many roles have said what they begin with
    HomeWithheld *withheld;    // orders that wait for the store
    uint32_t standby_count;
    HomeFault *fault; // of the outcome; NULL: there is none
    _Alignas(16) unsigned char room[BLOCK_ROOM_BYTES];
} Home;

// All roles are absent. Those without a part may join, come to their ends, and be lost; nothing depends on them. False: no memory.
bool home_init(Home *home, const HomeOptions *options, uint64_t now_ns);
void home_fini(Home *home);

// A node wants to play a role; that it has the right to was checked. The answer is RESTORE or REFUSED, by `order`; a standby gets
// RESTORE when it is needed.
HomeVerdict home_join(Home *home, const HomeJoin *join, uint64_t now_ns);
// ENTER ARRIVE READY FAIL END CANCEL REFUSED UNREACHED TAKEN; that this node may speak for the role was checked as far as that is possible
// without the session.
HomeVerdict home_report(Home *home, uint32_t node, const WireFrame *frame, uint64_t now_ns);
// A node is another incarnation, or has been silent for too long.
void home_node_lost(Home *home, uint32_t node, WireSpan why, uint64_t now_ns);
// A node is up again or offers the role: an absent role begins there.
void home_place_found(Home *home, unsigned role, uint32_t node, uint64_t now_ns);
// A link has room for what ended roles had kept.
void home_release(Home *home);
// The session is to end, by the wish of whoever runs the home.
void home_cancel(Home *home, WireSpan why, uint64_t now_ns);

// Whoever would play the role does not want to in this session (CHX_REFUSED), can't be found (CHX_FAULT_LOST), or the like.
void home_fail(Home *home, chx_status status, unsigned role, chx_fault_kind kind, WireSpan why, uint64_t now_ns);

// ---- durable sessions ----

// What is to be committed next; false: nothing. The pieces and heads that it names are read before anything else is done. It is on its way
// until home_committed. Term and version are in it; levels are counted as in a store.
bool home_take_change(Home *home, CutChange *change);
// What the role holds at this level, as a snapshot.
WireSpan home_piece(const Home *home, uint32_t level, unsigned role);
typedef struct {
    uint32_t block, ordinal, attempt;
    chx_fault fault; // kind CHX_FAULT_NONE: it is in its first attempt
} HomeHead;
// So many bytes all pieces and results together have at most.
size_t home_kept_bytes(const Home *home);
void home_head(const Home *home, uint32_t level, HomeHead *head);
// The change was applied; or not, since somebody else has changed the session.
void home_committed(Home *home, bool is_applied, uint64_t now_ns);
// The store can't be written, and nobody waits for it any longer: the session is not in it, or its outcome is not.
void home_give_up_store(Home *home, WireSpan why, uint64_t now_ns);

// A session as the store has it.
typedef struct {
    uint64_t version;
    const HomeHead *heads; // of the blocks that it is in, outermost first
    size_t depth;
    WireSpan (*piece)(const void *context, uint32_t level, unsigned role); // empty: there is none
    const void *context;
} HomeResume;
// After home_init, with the new term: all roles are absent, and each begins from what the store has (C8). HOME_VIOLATION: the store has
// something else than a session of this choreography.
HomeVerdict home_resume(Home *home, const HomeResume *from);

// When home_tick has to be called; UINT64_MAX: not as it stands.
uint64_t home_next_ns(const Home *home);
void home_tick(Home *home, uint64_t now_ns);

// ---- looking ----

HomeState home_state(const Home *home, unsigned role);
bool home_has_part(const Home *home, unsigned role);   // it has something to do
uint32_t home_life(const Home *home, unsigned role);   // the current one
uint32_t home_node(const Home *home, unsigned role);   // where the latest life is or was; 0: nowhere yet
WireSpan home_result(const Home *home, unsigned role); // encoded, after its END
// Why the session is over; false: it has come to its end. Its strings are the home's.
bool home_outcome_fault(const Home *home, chx_fault *fault);

#endif
