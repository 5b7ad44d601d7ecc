// deadline.c: `checkpoint within`: a decision without a failed role.
//
// The deadlines of a runtime are timers of its event loop. Lock order: a session's block lock, then the loop's lock.
// When a deadline is due it is claimed under the loop's lock, with a count of the session's `live`, so that the session
// can't end meanwhile; whether it still holds is then looked up under the block lock.

#include "runtime/recovery/effects.h"

#include "runtime/arms/arms.h"
#include "runtime/durable/durable.h"
#include "runtime/isolation/isolation.h"
#include "runtime/recovery/checkpoint.h"
#include "runtime/session/runtime.h"

#include <stdio.h>

typedef struct Deadline {
    LoopTimer timer; // the first member
    Session *session;
    Block *block; // NULL: void
} Deadline;

void deadline_fault(Fault *fault, uint32_t site, uint64_t within_ns)
{
    *fault = (Fault){.kind = CHX_FAULT_DEADLINE, .site = site};
    snprintf(fault->why, sizeof fault->why, "not at the end of the block within %llu ms",
             (unsigned long long)(within_ns / 1000000));
}

static void deadline_fire(Session *session, Block *block)
{
    // The first role, in role order, that is not at the end.
    size_t first = 0;
    while (block->is_there[first] && first + 1 < block->checkpoint->participant_count)
        first++;
    unsigned number = block->checkpoint->participants[first];
    const Actor *culprit = &session->actors[session->arm != NULL ? arms_place(session->arm, number) : number];
    int line = actor_site_line(culprit, block->checkpoint->name);
    Fault fault;
    deadline_fault(&fault, block->checkpoint->name, block->checkpoint->within_ns);
    const char *file = actor_site_file(culprit, block->checkpoint->name);
    chx_fault cause = {culprit->role->role, fault.kind, 0, fault.why, file, line};
    RecoveryVerdict verdict = recovery_expire(&session->recovery, &block, &cause);
    if (verdict == RECOVERY_NO_MEMORY)
        fault_add(&fault, "and no memory for a restart");
    if (verdict != RECOVERY_DECIDED)
        session_fail(session, CHX_FAILED, culprit->role->role, &fault, file, line);
    else if (session->root->isolated != NULL)
        isolation_overdue(session, block->checkpoint);
}

// A role that is busy in another arm is not charged for it here: the time begins again.
static bool is_kept_waiting(Session *session, Block *block)
{
    return session->arm != NULL && arms_are_kept_waiting(session, block) && deadline_arm(&session->recovery, block);
}

// If the session is over, its end disarms the deadline.
static bool deadline_claim(LoopTimer *timer)
{
    return session_join(((const Deadline *)timer)->session);
}

static void deadline_run(LoopTimer *timer, uint64_t now_ns)
{
    (void)now_ns;
    Deadline *deadline = (Deadline *)timer;
    Session *session = deadline->session;
    chx_runtime *runtime = session->runtime;
    blocks_lock_outside(session);
    Block *block = deadline->block;
    if (block != NULL) {
        block->deadline = NULL;
        if (!durable_stops_time(session, block) && !is_kept_waiting(session, block))
            deadline_fire(session, block);
    }
    blocks_unlock_outside(session);
    runtime_release(runtime, deadline);
    session_leave(session);
}

static const LoopTimerKind deadline_kind = {deadline_claim, deadline_run};

bool deadline_arm(Recovery *recovery, Block *block)
{
    Session *session = session_of(recovery);
    chx_runtime *runtime = session->runtime;
    Deadline *deadline = runtime_allocate(runtime, sizeof *deadline);
    recovery->lacks = "out of memory";
    if (deadline == NULL)
        return false;
    uint64_t now_ns = runtime->platform->now_ns(), within_ns = block->checkpoint->within_ns;
    uint64_t due_ns = within_ns < UINT64_MAX - now_ns ? now_ns + within_ns : UINT64_MAX - 1;
    *deadline = (Deadline){.session = session, .block = block};
    if (event_loop_add(&runtime->loop, &deadline->timer, &deadline_kind, due_ns)) {
        block->deadline = deadline;
        return true;
    }
    runtime_release(runtime, deadline);
    recovery->lacks = "no thread could be started for the deadline of a block: out of memory, or too many threads";
    return false;
}

void deadline_disarm(Recovery *recovery, Block *block)
{
    chx_runtime *runtime = session_of(recovery)->runtime;
    Deadline *deadline = block->deadline;
    block->deadline = NULL;
    if (event_loop_detach(&runtime->loop, &deadline->timer))
        runtime_release(runtime, deadline);
    else
        deadline->block = NULL; // it waits for the block lock, and is void
}
