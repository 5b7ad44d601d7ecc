// machine.c: see machine.h.

#include "runtime/recovery/machine.h"

#include <string.h>

void recovery_init(Recovery *recovery, const RecoveryEffects *effects, chx_runtime *runtime, void *members,
                   size_t member_bytes, void *room)
{
    BlockPage *page = room;
    if (page != NULL)
        *page = (BlockPage){.capacity = BLOCKS_FIRST};
    *recovery = (Recovery){effects, runtime, members, member_bytes, .pages = page};
}

// The first of these numbers, which ascend, that is not less.
static size_t first_from(const unsigned *numbers, size_t count, unsigned role)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (numbers[middle] < role)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

unsigned recovery_place(const Recovery *recovery, unsigned role)
{
    size_t place = first_from(recovery->places, recovery->place_count, role);
    CHECK(place < recovery->place_count && recovery->places[place] == role);
    return (unsigned)place;
}

bool takes_part(const chx_checkpoint *checkpoint, unsigned role)
{
    size_t place = first_from(checkpoint->participants, checkpoint->participant_count, role);
    return place < checkpoint->participant_count && checkpoint->participants[place] == role;
}

// ---- records ----

// Memory for a record. Not inline: it is rare, and who reuses one needs no room on the stack. NULL: no memory.
static __attribute__((noinline)) Block *block_allocate(Recovery *recovery, const chx_checkpoint *checkpoint)
{
    if (checkpoint->participant_count > BLOCK_USUAL_PARTICIPANTS)
        return recovery->effects->allocate(recovery->runtime,
                                           sizeof(Block) + checkpoint->participant_count * sizeof(bool));
    BlockPage *page = recovery->pages;
    if (page == NULL || page->used == page->capacity) {
        page = recovery->effects->page_take(recovery->runtime);
        if (page == NULL)
            return NULL;
        *page = (BlockPage){.next = recovery->pages, .capacity = BLOCKS_MORE};
        recovery->pages = page;
    }
    return (Block *)(void *)(page->blocks + page->used++ * BLOCK_USUAL_BYTES);
}

// One is kept for the next decision.
static void fault_free(Recovery *recovery, BlockFault *fault)
{
    if (recovery->spare_fault == NULL)
        recovery->spare_fault = fault;
    else
        recovery->effects->release(recovery->runtime, fault);
}

// Records of the usual size are kept for the next block of the session.
static inline void block_free(Recovery *recovery, Block *block)
{
    if (CHX_UNLIKELY(block->fault != NULL))
        fault_free(recovery, block->fault);
    if (CHX_UNLIKELY(atomic_load_explicit(&block->has_arms, memory_order_relaxed)))
        recovery->effects->gone(recovery, block);
    block->fault = NULL;
    if (block->checkpoint->participant_count > BLOCK_USUAL_PARTICIPANTS) {
        recovery->effects->release(recovery->runtime, block);
        return;
    }
    block->next = recovery->spare_blocks;
    recovery->spare_blocks = block;
}

static inline void block_disarm(Recovery *recovery, Block *block)
{
    if (block->deadline != NULL && !is_broken(BROKEN_DEADLINE_SURVIVES))
        recovery->effects->disarm(recovery, block);
}

static Block **block_children(Recovery *recovery, Block *parent)
{
    return parent != NULL ? &parent->children : &recovery->blocks;
}

Block *recovery_make_block(Recovery *recovery, Block *parent, const chx_checkpoint *checkpoint, uint32_t ordinal)
{
    Block **children = block_children(recovery, parent), *block = recovery->spare_blocks;
    bool is_usual = checkpoint->participant_count <= BLOCK_USUAL_PARTICIPANTS;
    if (CHX_UNLIKELY(block == NULL || !is_usual)) {
        block = block_allocate(recovery, checkpoint);
        if (block == NULL) {
            recovery->lacks = "out of memory";
            return NULL;
        }
    } else {
        recovery->spare_blocks = block->next;
    }
    *block = (Block){.parent = parent,
                     .next = *children,
                     .checkpoint = checkpoint,
                     .depth = parent != NULL ? parent->depth + 1 : 0,
                     .ordinal = ordinal};
    if (CHX_UNLIKELY(checkpoint->within_ns != 0) && !recovery->effects->arm(recovery, block)) {
        block_free(recovery, block);
        return NULL;
    }
    if (is_usual)
        memset(block->is_there, 0, BLOCK_USUAL_PARTICIPANTS * sizeof(bool));
    else
        memset(block->is_there, 0, checkpoint->participant_count * sizeof(bool));
    *children = block;
    return block;
}

static inline void block_unlink(Recovery *recovery, Block *block)
{
    Block **link = block_children(recovery, block->parent);
    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
}

// Out of the tree, with everything below it. Roles that are still inside keep the memory alive.
static void block_delete(Recovery *recovery, Block *block)
{
    // Blocks may be nested as deep as a role recurses: no recursion here.
    for (Block *leaf = block, *parent;; leaf = parent) {
        while (leaf->children != NULL)
            leaf = leaf->children;
        parent = leaf->parent;
        block_disarm(recovery, leaf);
        block_unlink(recovery, leaf);
        leaf->deleted = true;
        if (leaf->references == 0)
            block_free(recovery, leaf);
        if (leaf == block)
            return;
    }
}

const Block *recovery_next_block(const Block *block)
{
    if (block->children != NULL)
        return block->children;
    while (block->next == NULL && block->parent != NULL)
        block = block->parent;
    return block->next;
}

void recovery_fini(Recovery *recovery)
{
    while (recovery->blocks != NULL)
        block_delete(recovery, recovery->blocks);
    for (BlockPage *page = recovery->pages, *next; page != NULL; page = next) {
        next = page->next;
        if (page->capacity != BLOCKS_FIRST)
            recovery->effects->page_give(recovery->runtime, page);
    }
    recovery->pages = NULL;
    if (recovery->spare_fault != NULL)
        recovery->effects->release(recovery->runtime, recovery->spare_fault);
    recovery->spare_fault = NULL;
}

// ---- entering and leaving ----

bool recovery_enter(Recovery *recovery, Position *position, Block *parent, const chx_checkpoint *checkpoint,
                    uint32_t ordinal, uint32_t attempt)
{
    Block *block = recovery_find_block(recovery, parent, checkpoint, ordinal);
    if (block == NULL)
        return false;
    block->references++;
    *position = (Position){.block = block,
                           .checkpoint = checkpoint,
                           .ordinal = ordinal,
                           .attempt = attempt == ATTEMPT_CURRENT ? block->attempt : attempt};
    return true;
}

// The caller acts for all roles, and all but the one that runs wait: what each would do later is done now.
static void block_leave_for_all(Recovery *recovery, Block *block)
{
    const chx_checkpoint *checkpoint = block->checkpoint;
    for (size_t i = 0; i < checkpoint->participant_count; i++) {
        Member *member = recovery_member(recovery, checkpoint->participants[i]);
        Position *position = member_innermost(member);
        CHECK(position != NULL && position->block == block && position->arrived);
        if (is_broken(BROKEN_LEFT_FOR_OTHERS) && i + 1 == checkpoint->participant_count)
            continue;
        position->is_done = true;
        position->block = NULL;
        if (!is_broken(BROKEN_LEFT_UNTOLD))
            recovery->effects->go(recovery, member, block);
    }
    block_unlink(recovery, block);
    block_free(recovery, block);
}

void recovery_finish(Recovery *recovery, Block *block)
{
    CHECK(block->children == NULL || is_broken(BROKEN_MEETING_SKIPPED));
    block_disarm(recovery, block);
    if (recovery->is_exclusive && !is_broken(BROKEN_MEETING_SKIPPED) && !is_broken(BROKEN_ARRIVALS_SURVIVE)) {
        block_leave_for_all(recovery, block);
        return;
    }
    // A role that waits for this looks at it again after having said that it waits.
    atomic_store(&block->done, true);
    // Isolated roles leave at once, and the last one to leave frees the record.
    const chx_checkpoint *checkpoint = block->checkpoint;
    for (size_t i = 0; i < checkpoint->participant_count; i++)
        recovery->effects->go(recovery, recovery_member(recovery, checkpoint->participants[i]), block);
}

bool recovery_renew(Recovery *recovery, Block *block)
{
    const chx_checkpoint *checkpoint = block->checkpoint;
    CHECK(block->children == NULL && checkpoint->is_round);
    block_disarm(recovery, block);
    if (checkpoint->within_ns != 0 && !recovery->effects->arm(recovery, block))
        return false;
    block->attempt = 0;
    block->epoch = 0;
    if (!is_broken(BROKEN_ROUND_ARRIVED)) {
        block->arrived = 0;
        memset(block->is_there, 0, checkpoint->participant_count * sizeof(bool));
    }
    if (CHX_UNLIKELY(block->fault != NULL))
        fault_free(recovery, block->fault);
    block->fault = NULL;
    // A role that waits for this looks at it again after having said that it waits.
    atomic_fetch_add(&block->ordinal, 1);
    for (size_t i = 0; i < checkpoint->participant_count; i++)
        recovery->effects->go(recovery, recovery_member(recovery, checkpoint->participants[i]), block);
    return true;
}

void recovery_left_by_all(Recovery *recovery, Block *block)
{
    if (block->deleted)
        block_free(recovery, block);
    else
        block_delete(recovery, block);
}

void recovery_abandon(Recovery *recovery, Member *member)
{
    Position *position = member_innermost(member);
    if (position->block != NULL)
        recovery_leave(recovery, position, false);
}

// ---- failures ----

bool block_can_recover(const Block *block, uint32_t attempt)
{
    // Without retries + 1, which may not fit.
    uint32_t retries = block->checkpoint->retries;
    bool runs_rescue = attempt == retries || (block->checkpoint->is_round && !is_broken(BROKEN_RESCUE_ONCE));
    return attempt < retries || (runs_rescue && block->checkpoint->rescue_at != 0);
}

Position *recovery_in_charge(const Member *member)
{
    Position **positions = member->positions;
    if (is_broken(BROKEN_WRONG_BLOCK) && block_can_recover(positions[0]->block, positions[0]->attempt))
        return positions[0];
    for (size_t i = member->count; i > 0; i--)
        if (!positions[i - 1]->is_done && block_can_recover(positions[i - 1]->block, positions[i - 1]->attempt))
            return positions[i - 1];
    return NULL;
}

Position *recovery_behind(const Member *member)
{
    for (size_t i = 0; i < member->count; i++)
        if (position_is_behind(member->positions[i]))
            return member->positions[i];
    return NULL;
}

RecoveryVerdict recovery_fail(Recovery *recovery, Member *member, bool is_abandoned, const chx_fault *fault)
{
    if (is_abandoned && !is_broken(BROKEN_DEATH_CHARGED_TWICE))
        return RECOVERY_ABANDONED;
    Position *position = recovery_in_charge(member);
    return position != NULL ? recovery_decide(recovery, position->block, fault) : RECOVERY_NONE;
}

static bool block_keep_fault(Recovery *recovery, Block *block, const chx_fault *fault)
{
    BlockFault *kept = recovery->spare_fault;
    recovery->spare_fault = NULL;
    if (kept == NULL)
        kept = recovery->effects->allocate(recovery->runtime, sizeof *kept + BLOCK_WHY_BYTES);
    if (kept == NULL)
        return false;
    size_t why_size = strlen(fault->why) + 1;
    CHECK(why_size <= BLOCK_WHY_BYTES);
    memcpy(kept->why, fault->why, why_size);
    kept->fault = *fault;
    kept->fault.why = kept->why;
    if (block->fault != NULL)
        fault_free(recovery, block->fault);
    block->fault = kept;
    return true;
}

RecoveryVerdict recovery_decide(Recovery *recovery, Block *block, const chx_fault *fault)
{
    const chx_checkpoint *checkpoint = block->checkpoint;
    CHECK(!block->done && !block->deleted && block_can_recover(block, block->attempt));
    if (!block_keep_fault(recovery, block, fault))
        return RECOVERY_NO_MEMORY;
    while (block->children != NULL)
        block_delete(recovery, block->children);
    block->attempt++;
    if (is_broken(BROKEN_RETRIES_IGNORED) && checkpoint->rescue_at != 0)
        block->attempt = checkpoint->retries + 1;
    block->epoch = ++recovery->epoch;
    if (!is_broken(BROKEN_ARRIVALS_SURVIVE)) {
        block->arrived = 0;
        memset(block->is_there, 0, checkpoint->participant_count * sizeof(bool));
    }
    block_disarm(recovery, block);
    block->behind = (uint16_t)block->references;
    recovery->effects->roll_back(recovery, block);
    return RECOVERY_DECIDED;
}

RecoveryVerdict recovery_expire(Recovery *recovery, Block **block, const chx_fault *fault)
{
    // Without a rescue the failure is the enclosing block's.
    while (*block != NULL && !block_can_recover(*block, (*block)->attempt))
        *block = (*block)->parent;
    return *block != NULL ? recovery_decide(recovery, *block, fault) : RECOVERY_NONE;
}

bool recovery_return(Recovery *recovery, Member *member, Position *target)
{
    for (size_t i = member->count; member->positions[i - 1] != target; i--)
        if (member->positions[i - 1]->block != NULL)
            recovery_leave(recovery, member->positions[i - 1], false);
    Block *block = target->block;
    target->ordinal = block->ordinal;
    target->attempt = block->attempt;
    target->arrived = false;
    bool is_last = block->behind > 0 && --block->behind == 0;
    bool has_deadline = block->checkpoint->within_ns != 0 && block->attempt <= block->checkpoint->retries;
    return !is_last || !has_deadline || recovery->effects->arm(recovery, block);
}
