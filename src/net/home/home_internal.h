// home_internal.h: what the parts of home.h share: orders and the end (home.c), reports (home_reports.c), blocks
// (home_blocks.c), the store (home_durable.c), lives (home_lives.c), windows of ended roles (home_handed.c), roles that can't reach each other (home_reach.c) and
// time (home_time.c).

#ifndef NET_HOME_HOME_INTERNAL_H
#define NET_HOME_HOME_INTERNAL_H

#include "net/home/home.h"

// Bytes that a role has saved.
typedef struct {
    uint8_t *data;
    size_t size;
} HomeBytes;

// A block that a role is in.
typedef struct {
    Position position; // the first member
    WireId id;
    HomeBytes saved; // what the role begins it with
    HomeBytes next;  // arrived at the end of a round: what it begins the next one with
    bool renews;     // arrived: another round follows
} HomePosition;

struct HomeRole {
    Member member; // the first member. `awaited`: READY of this epoch is outstanding
    HomeState state;
    uint32_t life;   // the current one, from 1 on
    uint32_t begun;  // the latest that has begun; 0: none
    uint32_t node;   // of that one
    uint32_t former; // of the one before
    bool has_part;   // the session needs it
    bool has_spoken; // something was heard of this life
    bool is_anonymous;
    bool owes_stop;
    bool is_gone;   // its node is lost, and it will be given up: no more orders
    bool is_in_gap; // only with a mistake (SESSION_BROKEN_ROUND_GAP)
    WireId seat_key;
    uint64_t absent_since_ns;
    size_t saved_bytes; // of all blocks that it is in
    HomeBytes result;
    HomeBytes base;     // of a durable session: what it goes on with behind the last durable block
    bool has_base;      // that was said
    bool is_resumed;    // goes on from the store, and has not begun yet: it is waited for without a limit
    uint64_t *restarts; // when the last ones were, if their number in a period is limited
    uint64_t restart_count;
};

struct HomeStandby {
    HomeStandby *next;
    unsigned role;
    uint32_t node;
    uint64_t request;
    bool is_anonymous;
};
enum { HOME_STANDBYS_MAX = 256 };

// What role `from`, which has ended, had kept for role `to`.
struct HomeHanded {
    HomeHanded *next;
    uint16_t from, to;
    WindowOut out;
};

// A life of one role says that it can't reach that of another.
struct HomeComplaint {
    HomeComplaint *next;
    uint16_t role, of;
    uint32_t life, of_life;
    uint64_t since_ns;
};

// Of a block. `at_ns`: UINT64_MAX: it begins when all that are inside are back.
struct Deadline {
    HomeDeadline *next;
    Block *block;
    uint64_t at_ns;
};

enum { HOME_WHY_BYTES = 300, HOME_FILE_BYTES = 200 };
// Why a life is lost, or the session over.
struct HomeFault {
    unsigned role;
    chx_fault_kind kind;
    uint32_t signal, line;
    char why[HOME_WHY_BYTES];
    char file[HOME_FILE_BYTES];
};

static inline const char *home_role_name(const Home *home, unsigned role)
{
    return home->options.table->roles[role];
}

static inline bool role_has_begun(const HomeRole *role)
{
    return role->state == HOME_RUNNING || role->state == HOME_AWAITED;
}

static inline HomePosition *role_innermost(const HomeRole *role)
{
    return (HomePosition *)(void *)member_innermost(&role->member);
}

static inline void home_count_absent(Home *home, const HomeRole *role, int change)
{
    // One without a part is waited for only while it is there.
    if (role->has_part)
        home->absent = (uint16_t)(home->absent + change);
    else if (!session_is_broken(SESSION_BROKEN_NO_PART_LEFT))
        home->open = (uint16_t)(home->open - change);
}

// ---- home.c ----

void home_copy_text(char *to, size_t size, WireSpan from);
HomeFault home_fault(unsigned role, chx_fault_kind kind, WireSpan why);
WireFault home_wire_fault(const Home *home, const HomeFault *fault);
// To the latest life of the role.
void home_order(Home *home, unsigned role, WireKind kind, const void *frame);
// To somebody else.
void home_order_at(Home *home, uint32_t node, WireKind kind, const void *frame);
void home_finish(Home *home, chx_status status, const HomeFault *fault);
// The outcome is known, and, of a durable session, in the store.
void home_say_outcome(Home *home, const HomeFault *fault);
const char *home_role_named(const Home *home, const char *name); // as the choreography has it; "": there is none
void home_end_if_all_have(Home *home);
void home_say_stop(Home *home, unsigned role, uint32_t node, uint32_t life);
// The session fails for want of memory, or for what the recovery machine lacks.
void home_fail_lacking(Home *home, unsigned role, const char *what);
// Behind each event.
void home_settle(Home *home);
bool home_copy(Home *home, HomeBytes *to, WireSpan from);
void home_drop(Home *home, HomeBytes *bytes);

// ---- home_blocks.c ----

extern const RecoveryEffects home_effects;
void home_cut_positions(Home *home, HomeRole *role, size_t count);
const chx_checkpoint *home_find_checkpoint(const Home *home, uint32_t name, unsigned role);
HomePosition *home_make_position(Home *home, HomeRole *role, WireSpan saved);
WireId home_id_under(const HomePosition *around, uint32_t name, uint32_t ordinal);
HomeVerdict home_on_enter(Home *home, unsigned role, const WireEnter *enter);
HomeVerdict home_on_arrive(Home *home, unsigned role, const WireArrive *arrive);
void home_on_ready(Home *home, unsigned role, uint32_t epoch);
// Its position in the block; NULL: it is not inside.
HomePosition *home_position_in(const HomeRole *role, const Block *block);
const WireId *home_block_id(const Home *home, const Block *block);
// So many of the blocks that the role is in are around this one.
uint32_t home_depth_around(const HomeRole *role, const Block *block);
// A fault, as a list with one item. The buffer has to be given back.
WireList home_fault_list(Home *home, const WireFault *fault, WireBuffer *buffer);
WireFault home_block_fault(const Block *block);
// A block goes to its next attempt because of this.
RecoveryVerdict home_fail_member(Home *home, HomeRole *role, const HomeFault *fault);
RecoveryVerdict home_expire_block(Home *home, Block *block, const HomeFault *fault);

// ---- home_durable.c ----

void home_durable_init(Home *home);
void home_durable_fini(Home *home);
bool home_is_durable_block(const Home *home, const chx_checkpoint *checkpoint);
// An order, now or when the store has what it follows from. False: no memory.
bool home_say(Home *home, uint32_t node, WireKind kind, const void *frame);
// What waits for this node (0: for all) is not said.
void home_withheld_forget(Home *home, uint32_t node);
bool home_may_give(const Home *home);
void home_let_in(Home *home, unsigned role);
HomeVerdict home_durable_enter(Home *home, unsigned role, const Block *block);
void home_durable_decide(Home *home, const Block *block);
// One more role is about to arrive.
void home_durable_arrive(Home *home, const Block *block, bool renews);
HomeVerdict home_on_base(Home *home, unsigned role, const WireArrive *arrive);

// ---- home_lives.c ----

// The role's life is lost. True: it was given up.
bool home_lost(Home *home, unsigned role, const HomeFault *fault);
void home_give_up(Home *home, unsigned role);
void home_begin(Home *home, unsigned role, uint32_t node, uint64_t request);
// Everybody is told of the role's life, or of its end.
void home_tell_life(Home *home, unsigned role);
// If there is a place, a role without a life begins. `avoid`: not there; 0: anywhere.
void home_try_begin(Home *home, unsigned role, uint32_t avoid);

// The same, but elsewhere if that is possible.
void home_try_begin_elsewhere(Home *home, unsigned role);

// ---- home_reports.c ----

void home_fence(Home *home, uint32_t node, unsigned role, uint32_t life);

// ---- home_reach.c ----

HomeVerdict home_on_unreached(Home *home, unsigned role, const WireUnreached *said);
// Gives up one of two that have not reached each other for too long.
void home_expire_unreached(Home *home);
uint64_t home_unreached_ns(const Home *home); // when that is the next time; UINT64_MAX: never
void home_unreached_fini(Home *home);

// ---- home_handed.c ----

HomeVerdict home_take_over(Home *home, unsigned role, WireList kept);
// A life has begun that is to get what was handed over.
void home_handed_meet(Home *home, unsigned role);
void home_handed_drop(Home *home, unsigned to);
HomeVerdict home_handed_taken(Home *home, uint32_t node, const WireTaken *taken);
void home_handed_fini(Home *home);

// ---- home_time.c ----

bool home_arm(Recovery *recovery, Block *block);
void home_disarm(Recovery *recovery, Block *block);
// Deadlines whose block is complete again begin now.
void home_review_deadlines(Home *home);

static inline Home *home_of(const Recovery *recovery)
{
    return (Home *)(void *)((unsigned char *)(uintptr_t)recovery - offsetof(Home, recovery));
}

#endif
