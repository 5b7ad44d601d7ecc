// isolation.h: what core asks of the isolation modes.

#ifndef RUNTIME_ISOLATION_ISOLATION_H
#define RUNTIME_ISOLATION_ISOLATION_H

#include "runtime/actor/actor.h"
#include "runtime/actor/float.h"

#include <chorex.h>
#include <pthread.h>
#include <signal.h>

// The C library's header offers the list of a thread's cleanup handlers.
#if defined(__GLIBC__) && !defined(__EXCEPTIONS)
#define HAS_CLEANUP_LIST
#endif

// Thread mode. Handlers for fatal signals are the process's: taken with the first runtime that wants them, given back
// with the last.
void isolation_signals_acquire(chx_runtime *runtime);
void isolation_signals_release(void);

// What roles' code may change in the thread that runs it, as it was before. A worker has one for its whole life, a thread of
// the program's from when it begins to work for its own session until it returns to its caller.
typedef struct ThreadState ThreadState;
struct ThreadState {
    ThreadState *outer;   // the same thread's: a role's function runs a session
    bool handles_signals; // the runtime does
    bool has_unblocked;   // fatal signals that were blocked
    bool has_failed;      // a role's function was left in the middle on this thread
    sigset_t mask;        // of blocked signals, if the runtime handles signals
    unsigned float_flags;
    FloatControl float_control;
#ifdef HAS_CLEANUP_LIST
    __pthread_unwind_buf_t cleanups; // see thread_state.c
#endif
};
// Before roles' code runs on this thread: it gets a stack to handle signals on, also for when its own has overflowed, and
// the fatal signals are no longer blocked.
void isolation_thread_enter(chx_runtime *runtime, ThreadState *state);
// Everything is as it was before.
void isolation_thread_leave(ThreadState *state);
// A role's function has been left in the middle, by a fatal signal or by chx_fail; the fault says by which. Puts the thread
// back into the state that roles' code begins with. Ends the program if the signal has left the memory allocator unusable.
void isolation_thread_recover(Actor *actor, const Fault *fault);
// Is little left of this thread's stack?
bool isolation_stack_is_short(void);

// Are fatal signals of this runtime's roles handled?
bool isolation_handles_signals(const chx_runtime *runtime);
// The part of isolation_thread_enter that is about signals: true if some of the fatal ones were blocked. `mask` is what was
// blocked.
bool isolation_thread_prepare(sigset_t *mask);
// Takes the fatal signals out of it.
void isolation_mask_for_roles(sigset_t *mask);
// To whoever handled the signal before the runtime did.
void isolation_signal_chain(int signal, siginfo_t *info, void *machine);

// A fatal signal has interrupted the memory allocator, perhaps. Returns if all threads can still use that. Else the program
// ends with a message: everybody who allocates or releases memory would wait for ever.
void isolation_check_allocator(Actor *actor, const Fault *fault);
// In the handler of a fatal signal while that is found out: has it been found that nobody can use it?
bool isolation_allocator_has_failed(int signal, const siginfo_t *info);
CHX_NORETURN void isolation_allocator_failed(int signal, siginfo_t *info, void *machine);

// Process mode. An isolated role's actor in this process is never run: it stands for the process that plays it.

typedef struct IsolatedSession IsolatedSession; // what a session shares with the processes of its isolated roles
typedef struct RoleProxy RoleProxy;             // an isolated role, here
typedef struct Process Process;                 // the same, in its own process

// Does CHOREX_ISOLATION ask for processes? A value that can't be understood ends the program with a message.
bool isolation_from_env(void);
// Is this role of the cast to be isolated? CHOREX_ISOLATION=process asks for it where the cast says nothing.
bool isolation_wants_process(const chx_runtime *runtime, const chx_actor *cast, unsigned role);
// For a session whose actors have got their arguments: makes the processes of those that are isolated possible. On
// failure the thread's report says why.
chx_status isolation_prepare(Session *session, const chx_actor *cast);
// The session begins: so do the processes, and the other roles. Failures are the session's, which may be gone then.
void isolation_start(Session *session);
// It is being stopped.
void isolation_stop(Session *session);
// It is over, and nobody else knows of it any more.
void isolation_release(Session *session);
void isolation_fini(chx_runtime *runtime);

// With the session's block lock held: a block that the role takes part in went to another attempt.
void isolation_roll_back(RoleProxy *proxy);
// The role is at the end of a block that is done: it is out of it.
void isolation_go(RoleProxy *proxy, Block *block);
// The block's time was up: who does not come back soon is killed.
void isolation_overdue(Session *session, const chx_checkpoint *checkpoint);

// In an isolated role's process.
uint32_t process_enter(Actor *actor, chx_frame *frame, const chx_checkpoint *checkpoint);
bool process_leave(Actor *actor, const chx_checkpoint *checkpoint);
chx_fault process_fault(Actor *actor);
void process_roll_back(Actor *actor);

#endif
