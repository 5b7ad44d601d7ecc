// block.c: see block.h.

#include "runtime/recovery/block.h"

#include "base/check.h"
#include "runtime/recovery/broken.h"
#include "runtime/isolation/isolation.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

#include <string.h>

static size_t block_bytes(const chx_checkpoint *checkpoint)
{
    return sizeof(Block) + checkpoint->participant_count * sizeof(bool);
}

// Memory for a record. Not inline: it is rare, and who reuses one needs no room on the stack. NULL: no memory.
static __attribute__((noinline)) Block *block_new(Session *session, const chx_checkpoint *checkpoint)
{
    if (checkpoint->participant_count > BLOCK_USUAL_PARTICIPANTS)
        return runtime_allocate(session->runtime, block_bytes(checkpoint));
    BlockPage *page = session->block_pages;
    if (page == NULL || page->used == page->capacity) {
        page = page_take(session->runtime);
        if (page == NULL)
            return NULL;
        *page = (BlockPage){.next = session->block_pages, .capacity = BLOCKS_MORE};
        session->block_pages = page;
    }
    return (Block *)(void *)(page->blocks + page->used++ * BLOCK_USUAL_BYTES);
}

static inline void block_free(Session *session, Block *block)
{
    if (block->fault != NULL)
        runtime_release(session->runtime, block->fault);
    block->fault = NULL;
    if (block->checkpoint->participant_count > BLOCK_USUAL_PARTICIPANTS) {
        runtime_release(session->runtime, block);
        return;
    }
    block->next = session->spare_blocks;
    session->spare_blocks = block;
}

static void block_disarm(Session *session, Block *block)
{
    if (block->deadline != NULL)
        deadline_disarm(session, block);
}

static Block **block_children(Session *session, Block *parent)
{
    return parent != NULL ? &parent->children : &session->blocks;
}

// Records of the usual size are kept for the next block of the session.
Block *block_make(Session *session, Block *parent, const chx_checkpoint *checkpoint, uint32_t ordinal)
{
    Block **children = block_children(session, parent), *block = session->spare_blocks;
    bool is_usual = checkpoint->participant_count <= BLOCK_USUAL_PARTICIPANTS;
    if (CHX_UNLIKELY(block == NULL || !is_usual)) {
        block = block_new(session, checkpoint);
        if (block == NULL) {
            session->lacks = "out of memory";
            return NULL;
        }
    } else {
        session->spare_blocks = block->next;
    }
    *block = (Block){.parent = parent,
                     .next = *children,
                     .checkpoint = checkpoint,
                     .depth = parent != NULL ? parent->depth + 1 : 0,
                     .ordinal = ordinal};
    if (CHX_UNLIKELY(checkpoint->within_ns != 0) && !deadline_arm(session, block)) {
        block_free(session, block);
        return NULL;
    }
    if (is_usual)
        memset(block->is_there, 0, BLOCK_USUAL_PARTICIPANTS * sizeof(bool));
    else
        memset(block->is_there, 0, checkpoint->participant_count * sizeof(bool));
    *children = block;
    return block;
}

Block *block_enter(Session *session, Block *parent, const chx_checkpoint *checkpoint, uint32_t ordinal)
{
    Block *block = block_find(*block_children(session, parent), checkpoint, ordinal);
    if (block == NULL)
        block = block_make(session, parent, checkpoint, ordinal);
    if (block != NULL)
        block->references++;
    return block;
}

static inline void block_unlink(Session *session, Block *block)
{
    Block **link = block_children(session, block->parent);
    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
}

// Out of the tree, with everything below it. Roles that are still inside keep the memory alive.
static void block_delete(Session *session, Block *block)
{
    // Blocks may be nested as deep as a role recurses: no recursion here.
    for (Block *leaf = block, *parent;; leaf = parent) {
        while (leaf->children != NULL)
            leaf = leaf->children;
        parent = leaf->parent;
        block_disarm(session, leaf);
        block_unlink(session, leaf);
        leaf->deleted = true;
        if (leaf->references == 0)
            block_free(session, leaf);
        if (leaf == block)
            return;
    }
}

// block_wake where this worker has all roles of the session: the actor waits, is queued, or is the one that runs, all on this
// thread.
static inline void block_wake_pinned(Session *session, Actor *actor, const Block *what)
{
    uintptr_t waits = atomic_load_explicit(&actor->waits, memory_order_relaxed);
    if (waits == 0 || (what != NULL && waits != (uintptr_t)what))
        return;
    atomic_store_explicit(&actor->waits, 0, memory_order_relaxed);
    Worker *worker = current()->worker;
    if (actor->self.observed == 0 && atomic_load_explicit(&worker->next, memory_order_relaxed) == NULL)
        atomic_store_explicit(&worker->next, actor, memory_order_release);
    else
        scheduler_ready_here(&session->runtime->scheduler, actor);
}

// Takes the actor out of its wait for `what` (NULL: any) and lets it run. An isolated one is told.
static inline void block_wake(Session *session, Actor *actor, Block *what)
{
    if (actor->proxy != NULL) {
        if (what != NULL)
            isolation_go(actor->proxy, what);
        else
            isolation_roll_back(actor->proxy);
        return;
    }
    if (session->locked_by_owner)
        block_wake_pinned(session, actor, what);
    else if (actor_wake(actor, what))
        scheduler_ready(&session->runtime->scheduler, actor);
}

// All roles are run by this worker, so all but the one that runs wait: what each would do later is done now.
static void block_leave_for_all(Session *session, Block *block)
{
    const chx_checkpoint *checkpoint = block->checkpoint;
    for (size_t i = 0; i < checkpoint->participant_count; i++) {
        Actor *actor = &session->actors[checkpoint->participants[i]];
        Savepoint *savepoint = savepoint_top(actor);
        CHECK(savepoint != NULL && savepoint->block == block && savepoint->arrived);
        savepoint->is_done = true;
        savepoint->block = NULL;
        block_wake_pinned(session, actor, block);
    }
    block_unlink(session, block);
    block_free(session, block);
}

void block_finish(Session *session, Block *block)
{
    CHECK(block->children == NULL || is_broken(BROKEN_MEETING_SKIPPED));
    block_disarm(session, block);
    if (session->locked_by_owner && !is_broken(BROKEN_MEETING_SKIPPED) && !is_broken(BROKEN_ARRIVALS_SURVIVE)) {
        block_leave_for_all(session, block);
        return;
    }
    // Who waits looks at it again after having said so.
    atomic_store(&block->done, true);
    // Isolated roles leave at once, and the last one to leave frees the record.
    const chx_checkpoint *checkpoint = block->checkpoint;
    for (size_t i = 0; i < checkpoint->participant_count; i++)
        block_wake(session, &session->actors[checkpoint->participants[i]], block);
}

void block_left_by_all(Session *session, Block *block)
{
    if (!block->deleted)
        block_delete(session, block);
    else if (block->references == 0)
        block_free(session, block);
}

bool block_can_recover(const Block *block, uint32_t attempt)
{
    // Without retries + 1, which may not fit.
    uint32_t retries = block->checkpoint->retries;
    return attempt < retries || (attempt == retries && block->checkpoint->rescue_at != 0);
}

bool block_decide(Session *session, Block *block, const char *role, Fault *fault, const char *file, int line)
{
    CHECK(!block->done && !block->deleted && block_can_recover(block, block->attempt));
    size_t why_size = strlen(fault->why) + 1;
    BlockFault *kept = runtime_allocate(session->runtime, sizeof *kept + why_size);
    if (kept == NULL)
        return fault_add(fault, "and no memory for a restart");
    memcpy(kept->why, fault->why, why_size);
    kept->fault = (chx_fault){role, fault->kind, fault->signal, kept->why, file, line};
    if (block->fault != NULL)
        runtime_release(session->runtime, block->fault);
    block->fault = kept;
    while (block->children != NULL)
        block_delete(session, block->children);
    block->attempt++;
    block->epoch = ++session->epoch;
    if (!is_broken(BROKEN_ARRIVALS_SURVIVE)) {
        block->arrived = 0;
        memset(block->is_there, 0, block->checkpoint->participant_count * sizeof(bool));
    }
    block_disarm(session, block);
    block->behind = (uint16_t)block->references;
    // Those that run see it at their next step with others; those that wait are woken.
    uint32_t generation = atomic_load(&session->generation);
    session->rollback_depths[generation % ROLLBACKS_REMEMBERED] = block->depth;
    atomic_fetch_add(&session->generation, 1);
    bool locked_by_owner = session->locked_by_owner;
    if (!locked_by_owner)
        scheduler_quiesce(&session->runtime->scheduler);
    for (size_t i = 0; i < block->checkpoint->participant_count; i++)
        block_wake(session, &session->actors[block->checkpoint->participants[i]], NULL);
    if (!locked_by_owner)
        scheduler_resume(&session->runtime->scheduler);
    return true;
}

bool block_begins_again(Session *session, Block *block)
{
    return block->checkpoint->within_ns == 0 || block->attempt > block->checkpoint->retries ||
           deadline_arm(session, block);
}

void blocks_init(Session *session, void *room)
{
    BlockPage *page = room;
    *page = (BlockPage){.capacity = BLOCKS_FIRST};
    session->block_pages = page;
}

void block_free_all(Session *session)
{
    while (session->blocks != NULL)
        block_delete(session, session->blocks);
    // The last one is part of the session.
    for (BlockPage *page = session->block_pages, *next; page != NULL; page = next) {
        next = page->next;
        if (next != NULL || session->plan->checkpoints == 0)
            page_give(session->runtime, page);
    }
    session->block_pages = NULL;
}
