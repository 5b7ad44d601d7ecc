// isolation.h: what the other parts of the runtime ask of the isolation modes.

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

// ---- thread mode ----

// The handlers of fatal signals belong to the whole program: they are installed for the first runtime that wants them, and
// the program's own ones are put back when the last such runtime ends.
void isolation_signals_acquire(chx_runtime *runtime);
void isolation_signals_release(void);

// What a role's code may change in the thread that runs it, as it was before. A worker has one for its whole life; a thread
// of the program has one from when it begins to work for its own session until it returns to its caller.
typedef struct ThreadState ThreadState;
struct ThreadState {
    ThreadState *outer;   // the same thread's, if a role's function runs a session
    bool handles_signals; // the runtime does
    bool has_unblocked;   // some fatal signals were blocked, and are no longer
    bool has_failed;      // a role's function was left in the middle on this thread
    sigset_t mask;        // of blocked signals, if the runtime handles signals
    unsigned float_flags;
    FloatControl float_control;
#ifdef HAS_CLEANUP_LIST
    __pthread_unwind_buf_t cleanups; // see thread.c
#endif
};
// To be called before roles' code runs on this thread. The thread gets a stack to handle signals on, for the case that its
// own has overflowed, and the fatal signals are no longer blocked.
void isolation_thread_enter(chx_runtime *runtime, ThreadState *state);
// Puts everything back as it was before.
void isolation_thread_leave(ThreadState *state);
// A role's function has been left in the middle, by a fatal signal or by chx_fail; the fault says by which. Puts the thread
// back into the state that roles' code begins with. Ends the program if the signal has left the memory allocator unusable.
void isolation_thread_recover(Actor *actor, const Fault *fault);
// Is little left of this thread's stack?
bool isolation_stack_is_short(void);

// Passes the signal on to the handler that the program had installed before the runtime's.
void isolation_signal_chain(int signal, siginfo_t *info, void *machine);
// From now on the signal does what it does in a program without handlers.
void isolation_signal_default(int signal);
// Writes to standard error what has happened to the role. Can be called in a signal handler.
void isolation_say(const Actor *actor, const char *what, const char *more);

// A fatal signal may have interrupted the memory allocator. Returns if all threads can still use that. Else the program
// ends with a message: every thread that allocates or releases memory would wait for ever.
void isolation_check_allocator(Actor *actor, const Fault *fault);
// In the handler of a fatal signal that has come during this check. Returns if the check may go on; else it has failed.
void isolation_watch_allocator(int signal, siginfo_t *info, void *machine);

// ---- process mode: an isolated role's actor in this process is never run, it stands for the process that runs the role ----

typedef struct IsolatedSession IsolatedSession; // what a session shares with the processes of its isolated roles
typedef struct RoleProxy RoleProxy;             // an isolated role, in the program that runs the session
typedef struct Process Process;                 // the same role, in its own process

// What CHOREX_ISOLATION asks for: what the cast says, processes where it says nothing, or none whatever it says. A value that
// can't be understood ends the program with a message.
typedef enum { ISOLATION_AS_CAST, ISOLATION_ALL, ISOLATION_NONE } IsolationWish;
IsolationWish isolation_from_env(void);
// Is this role of the cast to be isolated?
bool isolation_wants_process(const chx_runtime *runtime, const chx_actor *cast, unsigned role);
// For a session whose actors have got their arguments: prepares everything that the processes of the isolated ones need. On
// failure the thread's report says why.
chx_status isolation_prepare(Session *session, const chx_actor *cast);
// The session begins: starts the processes, and the other roles. If one can't be started, the session fails. It may be gone then.
void isolation_start(Session *session);
// The supervisor thread is to look at this session: it is being stopped, or a role has to leave it.
void isolated_attend(IsolatedSession *isolated);
// The session is over, and no other thread uses it any more.
void isolation_release(Session *session);
void isolation_fini(chx_runtime *runtime);

// The block's time was up: a role that does not come back soon is killed.
void isolation_overdue(Session *session, const chx_checkpoint *checkpoint);

// ---- arms of isolated roles ----

// The proxy of an isolated role's actor in an arm.
extern const struct ProxyOps arm_proxy_ops;
struct ArmRing;
// A new arm of this session has these channels, those that are not used without operations: those with an isolated role at either end
// lie in shared memory from now on. False: that can't be had. In any case they are given back with the arm, if `rings` is not NULL.
bool isolation_arm_prepare(Session *root, Channel *channels, size_t count, struct ArmRing **rings);
void isolation_arm_release(Session *root, struct ArmRing *rings, size_t count);
// No block of the arm, in which the isolated role has this actor, takes this up. The blocks are locked.
void isolation_arm_failed(const Actor *actor, const Fault *fault);

// In an isolated role's process.
int process_recall_fd(const Actor *actor);

#endif
