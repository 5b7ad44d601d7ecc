// session.h: one run of a choreography. All of it lies in one piece of memory, laid out by its plan.
//
// `live` counts the actors that have not left, and whoever else must not see the session end. The one who takes it to
// zero ends the session; from then on it belongs to the caller, who frees it with chx_finish.

#ifndef RUNTIME_SESSION_SESSION_H
#define RUNTIME_SESSION_SESSION_H

#include "runtime/actor/actor.h"
#include "runtime/recovery/machine.h"
#include "runtime/platform/descriptor.h"
#include "runtime/actor/float.h"
#include "runtime/session/plan.h"
#include "runtime/sched/scheduler.h"

enum { ROLLBACKS_REMEMBERED = 32 };

typedef enum { SESSION_RUNS, SESSION_AWAITED, SESSION_DONE } SessionState;

// How the session ends: session.c.
typedef struct {
    _Atomic uint32_t live;
    _Atomic bool stopping;
    _Atomic bool is_detached;    // nobody waits for it: it is freed with its end
    _Atomic uint32_t state;      // SessionState; slept on
    Descriptor fd;               // none: nobody has asked for it
    pthread_mutex_t lock;        // of what follows, and of fd
    bool is_over;                // nobody joins the list any more
    struct Lingering *lingering; // NULL: it is not being stopped, or nobody can keep it
    struct Again *awaited_by;    // actors of other sessions that wait for its end: actor/again.c
    _Atomic int status;          // chx_status; with the report, set once
} SessionEnding;

// What serialises the events of its recovery: recovery/checkpoint.c.
typedef struct {
    pthread_mutex_t mutex;
    // This one, or that of the session that an arm is in: where roles are isolated, all arms have one.
    pthread_mutex_t *used;
    // So many more times it is locked until it is tried to pin the session. With it locked, but for session_moves.
    _Atomic uint32_t left, until_pinned;
} BlockLock;

// What is not a part of its own is set when the session is made, unless a comment says otherwise.
struct chx_session {
    // A cache line: what every turn looks at, and what hardly ever changes.
    chx_runtime *runtime;
    const Plan *plan;           // NULL: a sequential program's
    FloatControl float_control; // of the thread that has started it: roles' code runs with this
    // The only worker that runs its actors; NULL: any does. It is its own thread that reads this, between owner_section_begin
    // and owner_section_end; who takes an actor of the session elsewhere sets it to NULL between scheduler_quiesce and
    // scheduler_resume, or is that worker itself and gives it away (scheduler_hand_off). A worker that has come to run all of
    // them sets it again (session_pin).
    _Atomic(Worker *) worker;
    _Atomic uint32_t generation; // rises when something concerns actors that don't know it yet: a recovery, the end
    uint32_t observed;           // its roles' steps, by whom: see observe.h
    _Atomic bool waits_outside;  // a role of it has waited for the outside
    bool is_fast;                // its channels are, though its steps are observed
    bool is_to_be_listed;        // somebody wants to know what it does: top.h
    _Atomic bool has_arms;       // or is one: some of its actors run one at a time (arms/)
    uint64_t trace;              // its number in the trace
    SessionEnding ending;        // begins with what every turn looks at

    const chx_definition *definition;
    uint64_t token[2];
    void *memory; // as allocated
    Actor *actors;
    unsigned actor_count;
    Channel *channels;
    size_t channel_count;
    _Atomic uint8_t *is_ready; // by channel: it can be used (session_channel); NULL: all can
    unsigned char *results;
    const chx_place *ended_places;        // of a sequential program with families, which has ended; else NULL
    struct IsolatedSession *isolated;     // it has isolated roles
    struct Durable *durable;              // it is kept in a store: durable/
    struct Parts *parts;                  // it is decided elsewhere, and only some of its roles are here: remote/
    Session *root;                        // of an arm: the session that it is in; else itself
    struct Arm *arm;                      // it is this one: arms/
    _Atomic(struct ArmTable *) arm_table; // all arms that are in it
    struct Listed *listed;                // it is in the list of top.c: this; else NULL

    // All roles look at the first line all the time; what follows changes often, and, but for the first two, with the blocks locked.
    _Alignas(CACHE_LINE) _Atomic uint32_t apart; // so many more times it is looked how long a step takes: actor.c
    _Atomic unsigned restarts;                   // recovery/restart.c
    Recovery recovery;                           // recovery/machine.c
    BlockLock block_lock;
    uint32_t rollback_depths[ROLLBACKS_REMEMBERED]; // of the latest rollbacks' blocks: recovery/effects.c
    Report report;                                  // how it ended; an arm has none
};
static_assert(offsetof(struct chx_session, ending) + offsetof(SessionEnding, state) <= CACHE_LINE,
              "the first line holds what every turn looks at");

// Members of large families that may all send to one another seldom do: their channels are made ready when one of the two ends
// is used first.
void session_make_ready(Session *session, size_t channel);
static inline bool session_is_ready(Session *session, size_t channel)
{
    enum { READY = 2 };
    return session->is_ready == NULL ||
           atomic_load_explicit(&session->is_ready[channel], memory_order_acquire) == READY;
}
static inline void session_channel(Session *session, const Channel *channel)
{
    if (session->is_ready == NULL)
        return;
    size_t number = (size_t)(channel - session->channels);
    if (!session_is_ready(session, number))
        session_make_ready(session, number);
}

// Has it arms, or is it one? Then its actors may have to wait for their turn.
static inline bool session_has_arms(Session *session)
{
    return CHX_UNLIKELY(atomic_load_explicit(&session->has_arms, memory_order_relaxed));
}

// So many of its actors have not left.
static inline uint32_t session_live(Session *session)
{
    return atomic_load(&session->ending.live);
}

static inline bool session_is_stopping(Session *session)
{
    return atomic_load(&session->ending.stopping);
}

// Is the session pinned to the worker: does no other one run its actors? The worker's own thread asks, in an owner section, and
// it holds until the end of that.
static inline bool session_is_pinned_to(Session *session, Worker *worker)
{
    return atomic_load_explicit(&session->worker, memory_order_relaxed) == worker;
}

// Is it pinned to some worker? If not, what that one did while it was is seen from here on.
static inline bool session_is_pinned(Session *session)
{
    return atomic_load_explicit(&session->worker, memory_order_acquire) != NULL;
}

// Between scheduler_quiesce and scheduler_resume, or by the worker itself: from now on any worker may run its actors. The one
// that had it looks again before it hands over.
void session_unpin(Session *session);
// The same, when the worker that had it sleeps and another one serves its descriptor: that one pins it as soon as it has run all its
// actors.
void session_moves(Session *session);

// Do its roles wait for the outside at times? Then their steps have system calls in them.
static inline bool session_waits_outside(Session *session)
{
    return atomic_load_explicit(&session->waits_outside, memory_order_relaxed);
}

// The actor is to be run next. A session that has waited for long is in no cache: what will be touched of it is fetched while the
// one before it is served, in parts, one here and the others with session_fetch, each time some of them.
void session_fetch_begin(const Actor *actor, SessionFetch *fetch);
// Reads nothing of the session, which may be gone by now.
void session_fetch(SessionFetch *fetch);

// So many more times: its roles compute at the same time, or (0) they don't.
static inline void session_set_apart(Session *session, uint32_t apart)
{
    atomic_store_explicit(&session->apart, apart, memory_order_relaxed);
}

// The worker's own thread, at an actor of the session, with the lock of the blocks held: if all others wait, on this
// worker, it is the only one from now on. True: so it is.
bool session_pin(Session *session, Worker *worker, const Actor *running);

// Where the role's result goes; NULL: it has none.
void *session_result(Session *session, unsigned role);

// For chx_fence: rises whenever a program takes the session over. 0: it is in no store.
uint64_t session_fence(const Session *session);

// Ends it with this status and report, if it is not ending already. The caller holds a count of `live`.
void session_fail(Session *session, chx_status status, const char *role, const Fault *fault, const char *file,
                  int line);
// One more count of `live`, so that the session does not end meanwhile. False: it has ended.
bool session_join(Session *session);
// Gives back a count of `live`; the last one ends the session. Afterwards the session may be gone.
void session_leave(Session *session);
// An actor of it, in the caller's hand, has ended, is stopped, or has failed outside of every block, which ends the session:
// guard->fault is read on ACTOR_FAILED. Afterwards the actor and its session may be gone.
void session_actor_left(Actor *actor, ActorOutcome outcome, Guard *guard);

// The last part of its end, when no role runs any more and the store, if there is one, has the outcome. Afterwards the session may
// be gone.
void session_end(Session *session);

// What a session is, if it is not an ordinary one: its roles are decided elsewhere, or it is kept in a store. NULL: it is not that.
typedef struct {
    struct Parts *parts;
    struct Durable *durable;
} SessionKind;
// Everything but running. NULL kind: an ordinary session. What is in the kind belongs to the session afterwards; on failure the thread's
// report says why, and it is freed.
chx_status session_make(chx_runtime *runtime, const Plan *plan, const chx_actor *cast, const void *arguments,
                        const SessionKind *kind, Session **made);
// As NAME_DEF_start, without a store.
chx_status session_new_plain(chx_runtime *runtime, const chx_choreography *choreography, size_t definition,
                             const chx_actor *cast, const void *arguments, Session **session);
// A session that was made runs from now on, in the pool, which has a worker.
void session_begin_roles(Session *session);
// The runtime's workers can be had. False: the thread's report says why not.
bool session_has_workers(chx_runtime *runtime, const chx_choreography *choreography);
// Takes apart a session that has not begun.
void session_discard(Session *session);

// The thread that waits for the session ends itself: waits all the same, then frees it.
void session_finish_exiting(Session *session);

// About to run a session on the calling thread: is there room for it on the stack, which others may be on already? Else the
// thread's report says so.
bool session_fits(const chx_choreography *choreography);

// What tells the session from all others; its runtime must be set.
void session_make_token(Session *session);

// For sequential programs: a session that has ended, with this status, the thread's report and, on success, these results (NULL:
// none). NULL: no memory.
Session *session_new_ended(chx_runtime *runtime, const chx_choreography *choreography, const chx_definition *definition,
                           chx_status status, const void *values);

#endif
