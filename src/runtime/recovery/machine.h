// machine.h: the recovery protocol of one session, as a state machine: events in, effects out.
//
// It knows which role is in which attempt of which block, and decides what happens when one arrives at a block's end, fails
// or is late. It does no input or output, knows no threads and no clock, and asks for everything else through a table of
// effects. Whoever feeds it events makes sure that there is one at a time: threads with a lock or an owner section
// (checkpoint.c), the supervisor thread with control messages of processes (isolation/), tests with what they like.
//
// A block instance is (parent instance, parent attempt, static block, ordinal): the ordinal says how often a role has
// entered that static block directly under this parent attempt, so all participants find the same record (rule R1 of the
// protocol). Attempts 0 to `retries` are the body, the one after them is the rescue. When a participant fails, the record
// goes to its next attempt with a new channel epoch, everything below it is deleted, and all participants are rolled back.
//
// Of a loop whose rounds are blocks, each round is an instance. When all participants have arrived at the end of one, the
// record becomes that of the next in the same moment: nobody is ever between two rounds. A failure in the rescue of a round
// runs the rescue again.
//
// Each event is one function, which the model (tests/model/recovery.pml) has under another name:
//
//   recovery_enter     on_enter, R1 R2 R4      recovery_fail      on_fail, R6
//   recovery_arrive    on_arrive, R5           recovery_decide    decide, R6
//   recovery_finish    finish_block, R5        recovery_expire    Deadline, R8
//   recovery_renew     renew_block, R5         position_renew     renew, R5
//   recovery_ready     on_ready, R6 R7         recovery_return    call_back, R6 R7
//   position_label     START_OF, R2 R4         takes_part         MEMBER, R3
//
// tests/model/replay runs what the model does on these functions and compares the effects.
//
// Invariants, asserted: one way out per instance; nobody leaves a block that is not done; no decision on a done or
// deleted record; epochs only rise.

#ifndef RUNTIME_RECOVERY_MACHINE_H
#define RUNTIME_RECOVERY_MACHINE_H

#include "base/check.h"
#include "runtime/recovery/broken.h"

#include <chorex/generated.h>

typedef struct Block Block;
typedef struct Recovery Recovery;

// Why a block went to another attempt; the text is its own.
typedef struct {
    chx_fault fault;
    char why[]; // the machine's have room for BLOCK_WHY_BYTES
} BlockFault;
enum { BLOCK_WHY_BYTES = 512 };

// The record of one instance of a block, shared by its participants.
struct Block {
    Block *parent, *children, *next; // next: among its parent's children
    const chx_checkpoint *checkpoint;
    uint32_t depth;           // 0: not inside of another
    _Atomic uint32_t ordinal; // goes up with each round; atomic as `done`
    uint32_t attempt;
    uint32_t epoch;      // of the channels among its participants, from attempt 1 on
    uint32_t references; // positions of roles that are inside
    uint32_t arrived, left;
    _Atomic bool done;         // atomic: a role that waits for it looks without being an event
    bool deleted;              // its parent went to another attempt
    _Atomic bool has_arms;     // some are known by it: the effect `gone`. Set by whoever is inside
    uint16_t behind;           // so many roles inside are not back yet from the attempt before
    struct Deadline *deadline; // armed by the effect `arm`; NULL: none
    BlockFault *fault;         // of the latest decision
    bool is_there[];           // by position among the participants: at the end of this attempt
};

// A block that a role is in.
typedef struct {
    Block *block; // NULL: not known here, or done and gone
    const chx_checkpoint *checkpoint;
    uint32_t
        ordinal; // of the instance that the role knows to be in; the block's is one more when the next round has begun
    uint32_t attempt;
    bool arrived;
    bool is_done; // whoever arrived last has left the block for this role, too
} Position;

// A role: the blocks that it is in, outermost first. The position at depth d belongs to a block at depth d.
typedef struct {
    Position **positions;
    size_t count, capacity;
    uint32_t awaited; // the epoch of a rollback that it still has to acknowledge (recovery_ready); 0: none
} Member;

// What the machine asks of its surroundings. Each is called during an event.
typedef struct {
    void *(*allocate)(chx_runtime *runtime, size_t size); // NULL: no memory
    void (*release)(chx_runtime *runtime, void *memory);
    void *(*page_take)(chx_runtime *runtime); // PAGE_BYTES; NULL: no memory
    void (*page_give)(chx_runtime *runtime, void *page);
    // The time of the block's attempt runs from now on. False: it can't be watched; recovery->lacks says why.
    bool (*arm)(Recovery *recovery, Block *block);
    void (*disarm)(Recovery *recovery, Block *block);
    // A block has gone to another attempt: all its participants, inside or not, are rolled back. A role that is inside goes
    // back with recovery_return, now or as soon as it notices.
    void (*roll_back)(Recovery *recovery, const Block *block);
    // The block is done, and the role, which is at its end, goes on behind it.
    void (*go)(Recovery *recovery, Member *member, Block *block);
    // A block that has had arms is no more: its record may be another one's next.
    void (*gone)(Recovery *recovery, const Block *block);
} RecoveryEffects;

typedef struct BlockPage BlockPage;

struct Recovery {
    const RecoveryEffects *effects;
    chx_runtime *runtime; // for its memory
    void *members;        // the first role's; the others follow at this distance
    size_t member_bytes;
    uint32_t epoch;    // the highest given out
    bool is_exclusive; // this event's caller acts for all roles: nobody else looks at their positions meanwhile
    Block *blocks;     // outermost ones
    Block *spare_blocks;
    BlockFault *spare_fault; // for the next decision; NULL: none
    BlockPage *pages;        // in which they lie; the last one is not the machine's
    const unsigned *places;  // the numbers of its roles, ascending; NULL: a role's number is its place
    size_t place_count;
    const char *lacks; // what was missing when a block could not be entered, or begun again
};

// Records of the usual size, the first few of them in memory that is given to recovery_init.
struct BlockPage {
    BlockPage *next;
    size_t used, capacity;
    _Alignas(16) unsigned char blocks[];
};
enum {
    BLOCK_PAGE_BYTES = 4096,
    BLOCK_USUAL_PARTICIPANTS = 16,
    BLOCK_USUAL_BYTES = (sizeof(Block) + BLOCK_USUAL_PARTICIPANTS * sizeof(bool) + 15) / 16 * 16,
    BLOCKS_FIRST = 4,
    BLOCKS_MORE = (BLOCK_PAGE_BYTES - sizeof(BlockPage)) / BLOCK_USUAL_BYTES,
    BLOCK_ROOM_BYTES = sizeof(BlockPage) + BLOCKS_FIRST * BLOCK_USUAL_BYTES,
};

// `room`: BLOCK_ROOM_BYTES for the first records.
void recovery_init(Recovery *recovery, const RecoveryEffects *effects, chx_runtime *runtime, void *members,
                   size_t member_bytes, void *room);
// Frees all records. The session is over.
void recovery_fini(Recovery *recovery);

// Of a session whose roles have other numbers than places.
unsigned recovery_place(const Recovery *recovery, unsigned role);
static inline Member *recovery_member(const Recovery *recovery, unsigned role)
{
    if (CHX_UNLIKELY(recovery->places != NULL))
        role = recovery_place(recovery, role);
    return (Member *)(void *)((unsigned char *)recovery->members + role * recovery->member_bytes);
}

static inline Position *member_innermost(const Member *member)
{
    return member->count > 0 ? member->positions[member->count - 1] : NULL;
}

// Does the role take part in the block?
bool takes_part(const chx_checkpoint *checkpoint, unsigned role);
// Where the role goes on in its attempt.
static inline uint32_t position_label(const Position *position)
{
    const chx_checkpoint *checkpoint = position->checkpoint;
    return position->attempt > checkpoint->retries ? checkpoint->rescue_at : checkpoint->body_at;
}
// The next round has begun, and the role has not noticed yet.
static inline bool position_is_renewed(const Position *position)
{
    return atomic_load_explicit(&position->block->ordinal, memory_order_relaxed) != position->ordinal;
}
// Its block went to another attempt.
static inline bool position_is_behind(const Position *position)
{
    if (position->block == NULL)
        return false;
    return position->block->attempt != (CHX_UNLIKELY(position_is_renewed(position)) ? 0 : position->attempt);
}

// ---- entering ----

// The record that a role finds when it enters, among those of the same parent; NULL: it is the first to enter.
static inline Block *block_find(Block *block, const chx_checkpoint *checkpoint, uint32_t ordinal)
{
    while (block != NULL && (block->checkpoint->name != checkpoint->name || block->ordinal != ordinal))
        block = block->next;
    return block;
}
Block *recovery_make_block(Recovery *recovery, Block *parent, const chx_checkpoint *checkpoint, uint32_t ordinal);
CHX_INLINE Block *recovery_find_block(Recovery *recovery, Block *parent, const chx_checkpoint *checkpoint,
                                      uint32_t ordinal)
{
    Block *block = block_find(parent != NULL ? parent->children : recovery->blocks, checkpoint, ordinal);
    return block != NULL ? block : recovery_make_block(recovery, parent, checkpoint, ordinal);
}
// The role enters the block, directly under `parent` (NULL: it is in no other). Its position, which the caller then appends
// to the member's, is at the block's attempt, or, for one that can't know of that (`attempt`), behind it: then the caller
// rolls it back. False: no memory, or the block's time can't be watched; recovery->lacks says which.
#define ATTEMPT_CURRENT UINT32_MAX
bool recovery_enter(Recovery *recovery, Position *position, Block *parent, const chx_checkpoint *checkpoint,
                    uint32_t ordinal, uint32_t attempt);
// The same if nothing has failed in it. False: that is not so, or something is lacking, and nothing was done.
CHX_INLINE bool recovery_enter_first(Recovery *recovery, Position *position, Block *parent,
                                     const chx_checkpoint *checkpoint, uint32_t ordinal)
{
    Block *block = recovery_find_block(recovery, parent, checkpoint, ordinal);
    if (block == NULL || block->attempt != 0)
        return false;
    block->references++;
    *position = (Position){.block = block, .checkpoint = checkpoint, .ordinal = ordinal};
    return true;
}

// ---- the end of a block ----

// All have arrived: it is done.
void recovery_finish(Recovery *recovery, Block *block);
// All have arrived at the end of a round: they are in the next one. False: its time can't be watched, and the session has to
// fail (recovery->lacks).
bool recovery_renew(Recovery *recovery, Block *block);
// The role has noticed that the next round has begun.
static inline void position_renew(Position *position)
{
    position->ordinal++;
    position->attempt = 0;
    position->arrived = false;
}
// The role, whose position this is, stands at the end of its attempt, which is the current one. The last one finishes the
// block: then it is done, or already gone (position->is_done). `renews`: it is the end of a round, and another one follows;
// the last one begins that. False: as recovery_renew.
CHX_INLINE bool recovery_arrive(Recovery *recovery, Position *position, bool renews)
{
    Block *block = position->block;
    uint32_t place = position->checkpoint->position;
    position->arrived = true;
    if (is_broken(BROKEN_ARRIVALS_SURVIVE) && block->is_there[place])
        return true;
    CHECK(!block->done && !block->deleted && !block->is_there[place]);
    block->is_there[place] = true;
    if (++block->arrived < block->checkpoint->participant_count)
        return true;
    if (renews)
        return recovery_renew(recovery, block);
    recovery_finish(recovery, block);
    return true;
}
// The role is out of the block: in order, which is done, or because it goes back to one further out.
void recovery_left_by_all(Recovery *recovery, Block *block);
static inline void recovery_leave(Recovery *recovery, Position *position, bool in_order)
{
    Block *block = position->block;
    position->block = NULL;
    CHECK(!in_order || block->done);
    CHECK(block->references > 0);
    block->references--;
    block->left++;
    if (block->deleted ? block->references == 0 : block->done && block->left == block->checkpoint->participant_count)
        recovery_left_by_all(recovery, block);
}

// ---- failures ----

// Is there another attempt to go to, or does a failure belong to the enclosing block?
bool block_can_recover(const Block *block, uint32_t attempt);
// The innermost block of the role that has an attempt left; NULL: none. A failure in a rescue is the enclosing block's.
Position *recovery_in_charge(const Member *member);
// The outermost block of the role that went to another attempt; NULL: none.
Position *recovery_behind(const Member *member);

typedef enum {
    RECOVERY_NONE,      // no block takes the failure up: the session fails
    RECOVERY_ABANDONED, // it has failed in an attempt that is over: it goes on where it was rolled back to
    RECOVERY_DECIDED,   // a block went to its next attempt, and the role goes on there
    RECOVERY_NO_MEMORY, // for that
} RecoveryVerdict;
// The role has failed. `is_abandoned`: it was rolled back and had not noticed, or not acknowledged.
RecoveryVerdict recovery_fail(Recovery *recovery, Member *member, bool is_abandoned, const chx_fault *fault);
// The block goes to its next attempt, because of this fault. RECOVERY_NO_MEMORY: nothing was done.
RecoveryVerdict recovery_decide(Recovery *recovery, Block *block, const chx_fault *fault);
// The time of the block's attempt is up. If that is decided, `block` is then the one that takes it up: it, or an enclosing one.
RecoveryVerdict recovery_expire(Recovery *recovery, Block **block, const chx_fault *fault);

// The role, rolled back, returns to the beginning of the current attempt of the target, which is behind, and gives up the
// blocks inside of that; the caller takes their positions away. The time of an attempt after the first runs from the last
// role that is back: a function that can't be interrupted uses up one attempt, not all. False: its deadline could not be
// set, and the session has to fail (recovery->lacks).
bool recovery_return(Recovery *recovery, Member *member, Position *target);
// A role that has to acknowledge its rollback with this epoch has done so. True: it acts in the new attempt from now on.
static inline bool recovery_ready(Member *member, uint32_t epoch)
{
    bool is_awaited = member->awaited == epoch && epoch != 0;
    if (is_awaited)
        member->awaited = 0;
    return is_awaited;
}
// The role has left everything: the session is being stopped.
void recovery_abandon(Recovery *recovery, Member *member);

// All records, each before those inside of it: the first is recovery->blocks.
const Block *recovery_next_block(const Block *block);

#endif
