// deadline.c: `checkpoint within`: a decision without a failed role.
//
// One thread per runtime, started with the first deadline, sleeps until the earliest is due. Lock order: a session's
// block lock, then the deadlines' lock. What is due is taken out of the list first, with a count of the session's
// `live`, so that the session can't end meanwhile; whether it still holds is then looked up under the block lock.

#include "runtime/recovery/machine.h"
#include "runtime/recovery/deadline.h"

#include "runtime/isolation/isolation.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

#include <stdio.h>

struct Deadline {
    Deadline *next; // by time
    uint64_t due_ns;
    Session *session;
    Block *block;   // NULL: void
    bool is_listed; // under the deadlines' lock
};

void deadlines_init(Deadlines *deadlines)
{
    pthread_mutex_init(&deadlines->lock, NULL);
}

static void *deadlines_main(void *argument)
{
    chx_runtime *runtime = argument;
    Deadlines *deadlines = &runtime->deadlines;
    while (!atomic_load(&deadlines->closing)) {
        uint32_t changes = atomic_load(&deadlines->changes);
        uint64_t now_ns = runtime->platform->now_ns(), next_ns = deadline_next_ns(runtime);
        if (next_ns <= now_ns)
            deadline_run(runtime, now_ns);
        else
            runtime->platform->sleep_on(&deadlines->changes, changes, next_ns == UINT64_MAX ? 0 : next_ns - now_ns);
    }
    return NULL;
}

static void deadline_list(Deadlines *deadlines, Deadline *deadline)
{
    Deadline **link = &deadlines->first;
    while (*link != NULL && (*link)->due_ns <= deadline->due_ns)
        link = &(*link)->next;
    deadline->next = *link;
    *link = deadline;
    deadline->is_listed = true;
}

static void deadline_unlist(Deadlines *deadlines, Deadline *deadline)
{
    Deadline **link = &deadlines->first;
    while (*link != deadline)
        link = &(*link)->next;
    *link = deadline->next;
    deadline->is_listed = false;
}

// The thread that looks after deadlines, if it is not there yet. The lock is held. False: it can't be started.
static bool deadlines_start(chx_runtime *runtime)
{
    Deadlines *deadlines = &runtime->deadlines;
    if (!deadlines->has_thread)
        deadlines->has_thread = runtime->platform->thread_start(&deadlines->thread, deadlines_main, runtime);
    return deadlines->has_thread || runtime->platform->ready != NULL;
}

bool deadline_arm(Session *session, Block *block)
{
    chx_runtime *runtime = session->runtime;
    Deadlines *deadlines = &runtime->deadlines;
    Deadline *deadline = runtime_allocate(runtime, sizeof *deadline);
    if (deadline == NULL) {
        session->recovery.lacks = "out of memory";
        return false;
    }
    uint64_t now_ns = runtime->platform->now_ns(), within_ns = block->checkpoint->within_ns;
    *deadline = (Deadline){.due_ns = within_ns < UINT64_MAX - now_ns ? now_ns + within_ns : UINT64_MAX - 1,
                           .session = session,
                           .block = block};
    pthread_mutex_lock(&deadlines->lock);
    bool is_watched = deadlines_start(runtime);
    if (is_watched)
        deadline_list(deadlines, deadline);
    bool is_first = deadlines->first == deadline;
    pthread_mutex_unlock(&deadlines->lock);
    if (!is_watched) {
        runtime_release(runtime, deadline);
        session->recovery.lacks =
            "no thread could be started for the deadline of a block: out of memory, or too many threads";
        return false;
    }
    block->deadline = deadline;
    if (is_first) {
        atomic_fetch_add(&deadlines->changes, 1);
        runtime->platform->wake(&deadlines->changes);
    }
    return true;
}

void deadline_disarm(Session *session, Block *block)
{
    Deadline *deadline = block->deadline;
    Deadlines *deadlines = &session->runtime->deadlines;
    block->deadline = NULL;
    pthread_mutex_lock(&deadlines->lock);
    bool is_listed = deadline->is_listed;
    if (is_listed)
        deadline_unlist(deadlines, deadline);
    else
        deadline->block = NULL; // it is being looked at, and void
    pthread_mutex_unlock(&deadlines->lock);
    if (is_listed)
        runtime_release(session->runtime, deadline);
}

uint64_t deadline_next_ns(chx_runtime *runtime)
{
    Deadlines *deadlines = &runtime->deadlines;
    pthread_mutex_lock(&deadlines->lock);
    uint64_t next_ns = deadlines->first != NULL ? deadlines->first->due_ns : UINT64_MAX;
    pthread_mutex_unlock(&deadlines->lock);
    return next_ns;
}

// The first role, in role order, that is not at the end.
static unsigned deadline_culprit(const Block *block)
{
    for (size_t i = 0; i < block->checkpoint->participant_count; i++)
        if (!block->is_there[i])
            return block->checkpoint->participants[i];
    return block->checkpoint->participants[0];
}

static void deadline_fire(Session *session, Block *block)
{
    const Actor *culprit = &session->actors[deadline_culprit(block)];
    int line = actor_site_line(culprit, block->checkpoint->site);
    Fault fault = {.kind = CHX_FAULT_DEADLINE, .site = block->checkpoint->site};
    snprintf(fault.why, sizeof fault.why, "not at the end of the block within %llu ms",
             (unsigned long long)(block->checkpoint->within_ns / 1000000));
    chx_fault cause = {culprit->role->role, fault.kind, 0, fault.why, culprit->role->file, line};
    const Block *decided = recovery_expire(&session->recovery, block, &cause);
    if (decided == NULL)
        session_fail(session, CHX_FAILED, culprit->role->role, &fault, culprit->role->file, line);
    else if (session->isolated != NULL)
        isolation_overdue(session, decided->checkpoint);
}

void deadline_run(chx_runtime *runtime, uint64_t now_ns)
{
    Deadlines *deadlines = &runtime->deadlines;
    pthread_mutex_lock(&deadlines->lock);
    Deadline *deadline = deadlines->first;
    if (deadline == NULL || deadline->due_ns > now_ns) {
        pthread_mutex_unlock(&deadlines->lock);
        return;
    }
    Session *session = deadline->session;
    deadline_unlist(deadlines, deadline);
    if (!session_join(session)) {
        // It is over; its end takes this out of the list for good.
        deadline->due_ns = UINT64_MAX;
        deadline_list(deadlines, deadline);
        pthread_mutex_unlock(&deadlines->lock);
        return;
    }
    pthread_mutex_unlock(&deadlines->lock);

    // In this order: who holds the lock could confine it again.
    pthread_mutex_lock(&session->block_lock);
    scheduler_quiesce(&runtime->scheduler);
    session_unpin(session);
    scheduler_resume(&runtime->scheduler);
    session->recovery.is_exclusive = false;
    Block *block = deadline->block;
    if (block != NULL) {
        block->deadline = NULL;
        deadline_fire(session, block);
    }
    pthread_mutex_unlock(&session->block_lock);
    runtime_release(runtime, deadline);
    session_leave(session);
}

void deadline_fini(chx_runtime *runtime)
{
    Deadlines *deadlines = &runtime->deadlines;
    atomic_store(&deadlines->closing, true);
    if (deadlines->has_thread) {
        atomic_fetch_add(&deadlines->changes, 1);
        runtime->platform->wake(&deadlines->changes);
        runtime->platform->thread_join(deadlines->thread);
    }
    pthread_mutex_destroy(&deadlines->lock);
}
