// block.h: the record of one instance of a checkpoint block, shared by its participants.
//
// An instance is (parent instance, parent attempt, static block, ordinal): the ordinal says how often a role has entered
// that static block directly under this parent attempt, so all participants find the same record. Entering, arriving,
// failing and deadlines are serialised (blocks_lock, checkpoint.c).
//
// Attempts 0 to `retries` are the body, the one after them is the rescue. When a participant fails, the record goes to
// its next attempt with a new channel epoch; everything below it is deleted; each participant sees that its own attempt
// is older and goes back to its savepoint (checkpoint.c).
//
// Invariants, asserted: one way out per instance; nobody leaves a block that is not done; no decision on a done or
// deleted record; epochs only rise.

#ifndef RUNTIME_RECOVERY_BLOCK_H
#define RUNTIME_RECOVERY_BLOCK_H

#include "base/check.h"
#include "runtime/actor/actor.h"
#include "runtime/recovery/broken.h"
#include "runtime/sched/pages.h"

typedef struct Deadline Deadline;

typedef struct {
    chx_fault fault;
    char why[];
} BlockFault;

struct Block {
    Block *parent, *children, *next; // next: among its parent's children
    const chx_checkpoint *checkpoint;
    uint32_t depth; // 0: not inside of another
    uint32_t ordinal;
    uint32_t attempt;
    uint32_t epoch;      // of the channels among its participants, from attempt 1 on
    uint32_t references; // savepoints of roles that are inside
    uint32_t arrived, left;
    _Atomic bool done;
    bool deleted;       // its parent went to another attempt
    uint16_t behind;    // so many roles inside are not back yet from the attempt before
    Deadline *deadline; // armed; NULL: none
    BlockFault *fault;  // of the latest decision
    bool is_there[];    // by position among the participants: at the end of this attempt
};

// Records of the usual size, the first few of them in the session's own memory.
typedef struct BlockPage BlockPage;
struct BlockPage {
    BlockPage *next;
    size_t used, capacity;
    _Alignas(16) unsigned char blocks[];
};
enum {
    BLOCK_USUAL_PARTICIPANTS = 16,
    BLOCK_USUAL_BYTES = (sizeof(Block) + BLOCK_USUAL_PARTICIPANTS * sizeof(bool) + 15) / 16 * 16,
    BLOCKS_FIRST = 4,
    BLOCKS_MORE = (PAGE_BYTES - sizeof(BlockPage)) / BLOCK_USUAL_BYTES,
    BLOCK_ROOM_BYTES = sizeof(BlockPage) + BLOCKS_FIRST * BLOCK_USUAL_BYTES,
};

// All of these with the session's blocks locked.

// The record that a role finds when it enters, among those of the same parent; NULL: it is the first to enter.
static inline Block *block_find(Block *block, const chx_checkpoint *checkpoint, uint32_t ordinal)
{
    while (block != NULL && (block->checkpoint->site != checkpoint->site || block->ordinal != ordinal))
        block = block->next;
    return block;
}
// A new record. NULL: no memory, or no thread for its deadline; session->lacks says which.
Block *block_make(Session *session, Block *parent, const chx_checkpoint *checkpoint, uint32_t ordinal);
// The role enters: finds or makes the record. NULL: as above.
Block *block_enter(Session *session, Block *parent, const chx_checkpoint *checkpoint, uint32_t ordinal);

// The participant at this position is at the end of its attempt, which is the current one. The last one finishes the
// block: then it is done, or already gone (savepoint->is_done).
void block_finish(Session *session, Block *block);
static inline void block_arrive(Session *session, Block *block, uint32_t position)
{
    if (is_broken(BROKEN_ARRIVALS_SURVIVE) && block->is_there[position])
        return;
    CHECK(!block->done && !block->deleted && !block->is_there[position]);
    block->is_there[position] = true;
    if (++block->arrived == block->checkpoint->participant_count)
        block_finish(session, block);
}

// The role has left a done block, or went back to a block further out.
void block_left_by_all(Session *session, Block *block);
static inline void block_leave(Session *session, Block *block, bool in_order)
{
    CHECK(!in_order || block->done);
    CHECK(block->references > 0);
    block->references--;
    block->left++;
    if (block->deleted ? block->references == 0 : block->done && block->left == block->checkpoint->participant_count)
        block_left_by_all(session, block);
}

// The next attempt, because of this fault. Wakes the participants. False: no memory for it, which the fault says, too.
bool block_decide(Session *session, Block *block, const char *role, Fault *fault, const char *file, int line);
// A role that was inside has gone back to the beginning of the current attempt. The time of an attempt after the first
// runs from the last of them: a function that can't be interrupted uses up one attempt, not all.
// False: its deadline could not be set, and the session has to fail (session->lacks says what was missing).
bool block_begins_again(Session *session, Block *block);
static inline bool block_back(Session *session, Block *block)
{
    return block->behind == 0 || --block->behind > 0 || block_begins_again(session, block);
}
// Is there another attempt to go to, or does a failure belong to the enclosing block?
bool block_can_recover(const Block *block, uint32_t attempt);
// For the first records: BLOCK_ROOM_BYTES of the session's own memory.
void blocks_init(Session *session, void *room);
// Frees all records. The session is over.
void block_free_all(Session *session);

// ---- deadline.c: the first two with the blocks locked ----

bool deadline_arm(Session *session, Block *block);    // false: it can't be; session->lacks says why
void deadline_disarm(Session *session, Block *block); // one that is armed
void deadline_fini(chx_runtime *runtime);
// For a machine without threads: when the next deadline is (UINT64_MAX: none), and what is due at `now_ns`.
uint64_t deadline_next_ns(chx_runtime *runtime);
void deadline_run(chx_runtime *runtime, uint64_t now_ns);

#endif
