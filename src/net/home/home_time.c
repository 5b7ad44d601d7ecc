// home_time.c: deadlines of blocks, and roles that nobody plays (N10, N14).

#include "net/home/home_internal.h"

bool home_arm(Recovery *recovery, Block *block)
{
    Home *home = home_of(recovery);
    HomeDeadline *deadline = memory_allocate(home->options.memory, sizeof *deadline);
    recovery->lacks = "out of memory";
    if (deadline == NULL)
        return false;
    // The time of the first attempt runs from the entry; that of a later one from the moment when all are back, so that a role
    // that can't be interrupted, or is absent, uses up one attempt, not all.
    // So does that of a durable block: it begins when all are let in.
    bool is_durable = home_is_durable_block(home, block->checkpoint);
    uint64_t at_ns = block->attempt == 0 && !is_durable ? home->now_ns + block->checkpoint->within_ns : UINT64_MAX;
    *deadline = (HomeDeadline){.next = home->deadlines, .block = block, .at_ns = at_ns};
    home->deadlines = deadline;
    block->deadline = deadline;
    return true;
}

void home_disarm(Recovery *recovery, Block *block)
{
    Home *home = home_of(recovery);
    HomeDeadline **place = &home->deadlines;
    while (*place != block->deadline)
        place = &(*place)->next;
    *place = block->deadline->next;
    memory_release(home->options.memory, block->deadline);
    block->deadline = NULL;
}

// Do all that are inside act in the current attempt?
static bool is_complete(const Home *home, const Block *block)
{
    if (home_is_durable_block(home, block->checkpoint) &&
        !cut_lets_in(&home->cut, block->depth, block->ordinal, block->attempt))
        return false;
    for (uint32_t i = 0; i < block->checkpoint->participant_count; i++) {
        const HomeRole *role = &home->roles[block->checkpoint->participants[i]];
        bool is_inside = role->member.count > block->depth && role->member.positions[block->depth]->block == block;
        if (is_inside && role->state != HOME_RUNNING)
            return false;
    }
    return true;
}

void home_review_deadlines(Home *home)
{
    for (HomeDeadline *deadline = home->deadlines; deadline != NULL; deadline = deadline->next)
        if (deadline->at_ns == UINT64_MAX && is_complete(home, deadline->block))
            deadline->at_ns = home->now_ns + deadline->block->checkpoint->within_ns;
}

static HomeDeadline *due_deadline(const Home *home)
{
    HomeDeadline *deadline = home->deadlines;
    while (deadline != NULL && deadline->at_ns > home->now_ns)
        deadline = deadline->next;
    return deadline;
}

static void expire(Home *home, Block *block)
{
    const chx_checkpoint *checkpoint = block->checkpoint;
    uint32_t first = 0;
    while (block->is_there[first] && first + 1 < checkpoint->participant_count)
        first++;
    HomeFault fault = home_fault(checkpoint->participants[first], CHX_FAULT_DEADLINE, (WireSpan){0});
    snprintf(fault.why, sizeof fault.why, "not at the end of the block within %llu ms",
             (unsigned long long)(checkpoint->within_ns / 1000000));
    home_disarm(&home->recovery, block);
    RecoveryVerdict verdict = home_expire_block(home, block, &fault);
    if (verdict == RECOVERY_NO_MEMORY)
        home->lacks_memory = true;
    if (verdict == RECOVERY_NONE)
        home_finish(home, CHX_FAILED, &fault);
}

static uint64_t absent_until(const Home *home, const HomeRole *role)
{
    if (role->state != HOME_ABSENT || !role->has_part || role->is_resumed || home->options.absent_ns == 0)
        return UINT64_MAX;
    uint64_t until = role->absent_since_ns + home->options.absent_ns;
    return until < role->absent_since_ns ? UINT64_MAX : until;
}

static void expire_absent(Home *home)
{
    for (unsigned i = 0; home->absent > 0 && !home->is_over && i < home->options.table->role_count; i++) {
        if (absent_until(home, &home->roles[i]) > home->now_ns)
            continue;
        HomeFault fault = home_fault(i, CHX_FAULT_LOST, (WireSpan){0});
        WireSpan name = {0}, address;
        if (home->roles[i].node != 0)
            home->options.effects->describe(home->options.context, home->roles[i].node, &name, &address);
        unsigned long long limit_ms = home->options.absent_ns / 1000000;
        if (name.size == 0)
            snprintf(fault.why, sizeof fault.why, "no node has joined to play the role within %llu ms", limit_ms);
        else
            snprintf(fault.why, sizeof fault.why,
                     "lost with node %.*s, and no other node has taken over within %llu ms", (int)name.size,
                     (const char *)name.data, limit_ms);
        home_finish(home, CHX_FAILED, &fault);
    }
}

void home_tick(Home *home, uint64_t now_ns)
{
    home->now_ns = now_ns;
    for (HomeDeadline *due; !home->is_over && (due = due_deadline(home)) != NULL;)
        expire(home, due->block);
    expire_absent(home);
    home_expire_unreached(home);
    home_settle(home);
}

uint64_t home_next_ns(const Home *home)
{
    enum { AGAIN_NS = 100 * 1000 * 1000 };
    uint64_t next = home->owes_stop ? home->now_ns + AGAIN_NS : UINT64_MAX;
    if (home->is_over)
        return next;
    for (const HomeDeadline *deadline = home->deadlines; deadline != NULL; deadline = deadline->next)
        next = deadline->at_ns < next ? deadline->at_ns : next;
    uint64_t unreached_ns = home_unreached_ns(home);
    next = unreached_ns < next ? unreached_ns : next;
    for (unsigned i = 0; home->absent > 0 && i < home->options.table->role_count; i++) {
        uint64_t until = absent_until(home, &home->roles[i]);
        next = until < next ? until : next;
    }
    return next;
}
