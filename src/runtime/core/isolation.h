// isolation.h: what core asks of the isolation modes.

#ifndef RUNTIME_CORE_ISOLATION_H
#define RUNTIME_CORE_ISOLATION_H

#include "runtime/core/private.h"

#include "runtime/core/block.h"

#include <chorex.h>

// Thread mode. Handlers for fatal signals are the process's: taken with the first runtime that wants them, given back
// with the last.
void isolation_signals_acquire(chx_runtime *runtime);
void isolation_signals_release(void);
// Before roles' code runs on this thread: a stack to handle signals on, also when the thread's own has overflowed.
void isolation_thread_prepare(chx_runtime *runtime);

// Process mode. An isolated role's actor in this process is never run: it stands for the process that plays it.

typedef struct House House;     // what a session shares with the processes of its isolated roles
typedef struct Link Link;       // an isolated role, here
typedef struct Process Process; // the same, in its own process

// Does CHOREX_ISOLATION ask for processes? A value that can't be understood ends the program with a message.
bool isolation_wanted(void);
// Is this role of the cast to be isolated? CHOREX_ISOLATION=process asks for it where the cast says nothing.
bool isolation_wants_process(const chx_runtime *runtime, const chx_actor *actor);
// For a session whose actors have got their arguments: makes the processes of those that are isolated possible. On
// failure the thread's report says why.
chx_status isolation_prepare(Session *session, const bool *isolated);
// The session begins: so do the processes. Failures are the session's.
void isolation_start(Session *session);
// It is being stopped.
void isolation_stop(Session *session);
// It is over, and nobody else knows of it any more.
void isolation_release(Session *session);
void isolation_fini(chx_runtime *runtime);

// With the session's block lock held: a block that the role takes part in went to another attempt.
void isolation_recall(Link *link);
// The role is at the end of a block that is done: it is out of it.
void isolation_go(Link *link, Block *block);
// The block's time was up: who does not come back soon is killed.
void isolation_overdue(Session *session, const chx_checkpoint *checkpoint);

// In an isolated role's process.
uint32_t process_enter(Actor *actor, chx_frame *frame, const chx_checkpoint *checkpoint);
bool process_leave(Actor *actor, const chx_checkpoint *checkpoint);
chx_fault process_fault(Actor *actor);
void process_answer_alarm(Actor *actor);

#endif
