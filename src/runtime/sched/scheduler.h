// scheduler.h: workers and their queues of actors that have something to do.
//
// A worker is a queue and the thread that serves it. Pool workers serve every session; a guest is a thread of the
// caller's that waits for its own session and works for that one meanwhile. An actor that gets a message goes into the
// `next` slot of the worker it came from: sender and receiver take turns on one core. Whoever has nothing to do takes
// over from others: what lies in a pool worker's queue at once, what lies in a `next` slot or with a guest when its
// worker has been at one turn for a while. One worker at a time looks for descriptors that roles wait for and runs what they
// are ready for (worker_poll); it is left alone as long as it keeps up with them. The watch (watch.c) wakes helpers for workers that block or compute. Roles
// that were seen to compute at the same time give each other away beforehand (scheduler_hand_off).

#ifndef RUNTIME_SCHED_SCHEDULER_H
#define RUNTIME_SCHED_SCHEDULER_H

#include "runtime/sched/pages.h"
#include "runtime/sched/queue.h"

enum {
    WORKER_LIMIT = 512,
    GUEST_LIMIT = 64,            // guests, not counting those that run sessions inside of roles' functions
    SLICE_TURNS = 256,           // that actors which wake each other have in a row while others wait
    REFILL_MAX = 128,            // actors that a worker takes from the scheduler's queue at a time
    SPIN_NS = 20000,             // before a worker sleeps
    SPIN_AFTER_HELP_NS = 500000, // the same after it shared work with others: more of that is likely
    STALL_NS = 4000,             // a turn that takes so long has its successor taken away
    STALL_SOON_NS = 1500,        // the same for who took something away that was long: more of that is likely
    WORTH_NS = 50000,            // so long
    APART = 16,                  // so often steps of a session's roles are timed after one took long
    APART_VAIN = 4,              // and so much less often after one did not
    BACKLOG = 2,                 // in a worker's queue: reason enough to take one of a session that is pinned to it
    CLOSE_SPIN_ROUNDS = 2000,    // waiting for a worker to be out
    CLOSE_PAUSE_NS = 20000,      // and then
    LOCK_SPIN_ROUNDS = 500,      // for a lock that is held for a few microseconds: sleeping takes longer
    BLOCKED_NS = 10000000,       // a turn that takes so long does not count as a running worker
    SLEEPING_NS = 100000,        // nor does one that took so long and used almost no processor time
    UNATTENDED_NS = 1000000,     // a worker that is at one turn for so long does not serve descriptors meanwhile
    BEHIND_NS = 1500000,         // what was ready at the same time takes so long: others should help
    WATCH_FIRST_NS = 200000,
    WATCH_LAST_NS = 5000000,
};

typedef struct Scheduler Scheduler;

// What is still to be fetched into the cache of the session that has the next turn: session_fetch.
typedef struct {
    const char *memory;
    const uint32_t *offsets; // of cache lines in it: the plan's
    unsigned left;
} SessionFetch;

// Whether a worker that serves descriptors keeps up with them.
typedef struct {
    uint64_t polled_ns; // when it last looked
    uint64_t cpu_ns;    // what its thread had used when it came back after a long time; 0: it was not long
} Backlog;

struct Worker {
    Scheduler *scheduler;
    _Atomic(Worker *) next_worker; // in one of the scheduler's lists
    _Atomic bool in_section;       // see owner_section_begin
    _Atomic(Actor *) next;         // to be run next
    ActorQueue queue;
    _Atomic uint64_t turn;    // odd: an actor is being run
    _Atomic uint64_t stalled; // the turn that the watch has last seen take long: meanwhile `next` may be taken
    // When `turn` gets here, those who wait in a queue come first (worker_slice_is_over). Its own thread moves it on. The
    // watch sets it to 0 to end a slice whose turns take long; either may overwrite the other, and the watch looks again.
    // scheduler_quiesce sets it to 0, too, and it stays so as long as the scheduler is closed.
    _Atomic uint64_t slice_end;
    Pages pages; // its own thread's

    _Atomic bool rests; // it runs nothing, see scheduler_quiesce; a guest: nobody uses it
    bool is_guest;
    Actor *orphan;    // pool: its role's function has ended the thread that served this worker
    Session *session; // guest: the only one it works for; its own thread's

    pthread_t thread;
    _Atomic long thread_id;
    _Atomic uint32_t sleeps;   // pool: 1 until somebody wakes it
    _Atomic bool polls;        // pool: it sleeps in the runtime's poller
    _Atomic bool serves;       // what it runs belongs to a session that waits for the outside at times;
    _Atomic bool is_behind;    // that is more than it can do
    _Atomic bool queues;       // it waits for a lock behind others, who are at work
    Backlog backlog;           // its own thread's
    SessionFetch fetch;        // its own thread's
    bool helps;                // what it runs was taken over
    uint64_t stall_ns;         // how long it waits before it does so again
    _Atomic bool shares;       // it took something over, or others from it, since it last searched for long in vain
    _Atomic uintptr_t handoff; // an actor that others gave it; HANDOFF_NONE, HANDOFF_WANTED: it searches

    uint64_t seen_turn; // the watch's
    uint64_t seen_ns, seen_cpu_ns;
    uint64_t measured_turn; // in which the processor time was looked at
    uint64_t measured_ns, measured_cpu_ns;
    bool is_blocked; // then little had been used
};

#define HANDOFF_NONE ((uintptr_t)0)
#define HANDOFF_WANTED ((uintptr_t)1)

typedef enum { WATCH_NONE, WATCH_RUNS, WATCH_SLEEPS, WATCH_ENDS } WatchState;

struct Scheduler {
    chx_runtime *runtime;
    const Platform *platform;
    unsigned wanted; // pool workers that should be running

    bool has_fence;            // the platform can fence all threads
    _Atomic uint32_t quiesced; // by so many: see owner_section_begin

    ActorQueue queue;     // ready, in no worker's queue
    pthread_mutex_t lock; // workers are added with it, and the watch is started
    pthread_t watch_thread;
    uint32_t guest_count;
    // Lists of workers, to which some are added, but from which none is removed.
    _Atomic(Worker *) pool;
    _Atomic(Worker *) guests;

    _Atomic uint32_t worker_count; // in the pool
    _Atomic uint32_t sleeping_count;
    _Atomic uint32_t searching;
    _Atomic(Worker *) idle_worker; // who began to search last; it may have ended
    _Atomic(Worker *) polling;     // the one that looks for descriptors, see worker_poll
    _Atomic uint32_t blocked;      // pool workers that are inside one turn for long
    _Atomic uint32_t watch;        // WatchState
    _Atomic bool closing;
    _Atomic bool is_exhausted; // a thread was needed and could not be had, at some time
};

// The workers one after the other, those of the pool first: the one after this, or (NULL) the first one. NULL: no more.
static inline Worker *scheduler_worker_after(Scheduler *scheduler, const Worker *worker)
{
    Worker *next = atomic_load(worker != NULL ? &worker->next_worker : &scheduler->pool);
    return next != NULL || (worker != NULL && worker->is_guest) ? next : atomic_load(&scheduler->guests);
}

void scheduler_init(Scheduler *scheduler, chx_runtime *runtime, unsigned workers);
// Ends the threads. No actor may be left.
void scheduler_fini(Scheduler *scheduler);

// The actor, in the caller's hand, has something to do.
void scheduler_ready(Scheduler *scheduler, Actor *actor);
// The actor, in the caller's hand, was woken from outside. If another worker has its session to itself, it goes there. False: it
// does not, and nothing was done.
bool scheduler_give_back(Actor *actor);
// The same for an actor of a session that only this worker runs, between owner_section_begin and owner_section_end: nobody is woken to
// help, which would need a lock that may be held by a thread that waits for owner_section_end.
void scheduler_ready_here(Actor *actor);
// The same for a chain of actors (next_queued) of a new session, from whatever thread.
void scheduler_start(Scheduler *scheduler, Actor *first, Actor *last, unsigned count);
// The actor, in the caller's hand, goes to a worker that searches. This one, whose own thread it is, is about to compute. False: there
// is none, the actor is still in hand.
bool scheduler_hand_off(Scheduler *scheduler, Worker *worker, Actor *actor);
// Sender and receiver usually take turns on one worker. What nobody but that worker's thread touches, except in rare
// cases, it touches between owner_section_begin and owner_section_end, with plain stores: `next`, and `waits` of an actor whose home
// the worker is, to end its wait for a channel. In rare cases (stealing what is next, waking actors for a rollback) a thread
// quiesces the scheduler, which is expensive, and then uses compare-and-exchange, as a worker that can't begin a section does.
static inline bool owner_section_begin(Worker *worker)
{
    atomic_store_explicit(&worker->in_section, true, memory_order_relaxed);
    // The processor may still do the load first. scheduler_quiesce makes up for that with a fence in every thread.
    atomic_signal_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&worker->scheduler->quiesced, memory_order_acquire) == 0)
        return true;
    atomic_store_explicit(&worker->in_section, false, memory_order_release);
    return false;
}

static inline void owner_section_end(Worker *worker)
{
    atomic_store_explicit(&worker->in_section, false, memory_order_release);
}

// Is this thread in the runtime's own code, where a signal is not the role's failure?
static inline bool current_is_busy(void)
{
    const Current *here = current();
    return here->busy != 0 ||
           (here->worker != NULL && atomic_load_explicit(&here->worker->in_section, memory_order_relaxed));
}

// It has taken over something, or another one what it was to run: more of that is likely.
static inline void worker_shares(Worker *worker)
{
    if (!atomic_load_explicit(&worker->shares, memory_order_relaxed))
        atomic_store_explicit(&worker->shares, true, memory_order_relaxed);
}

// What descriptors are ready for takes a few microseconds each, and the worker that serves them is likely to be through with all of
// them sooner than another one is awake: it needs no help, unless it is behind, or at one turn for long.
static inline bool worker_keeps_up(const Worker *worker)
{
    return atomic_load_explicit(&worker->serves, memory_order_relaxed) &&
           !atomic_load_explicit(&worker->is_behind, memory_order_relaxed);
}

// Inside: does the actor wait for the channel, with this worker as its home? Nobody else takes it out of this wait.
static inline bool worker_keeps(Worker *worker, const Actor *peer, const Channel *channel)
{
    // In this order: an actor that waits has made the worker its home before.
    return atomic_load_explicit(&peer->waits, memory_order_acquire) == (uintptr_t)channel &&
           atomic_load_explicit(&peer->home, memory_order_relaxed) == worker;
}

// The worker's own thread: something has happened to the channel. True: the peer waited for it on this worker and is now
// to be run next, or was so already. False: nothing is known of it, nothing was done.
static inline bool worker_notify(Worker *worker, Actor *peer, const Channel *channel)
{
    if (!owner_section_begin(worker))
        return false;
    Actor *next = atomic_load_explicit(&worker->next, memory_order_relaxed);
    bool waits = next == NULL && worker_keeps(worker, peer, channel);
    if (waits) {
        atomic_store_explicit(&peer->waits, 0, memory_order_relaxed);
        atomic_store_explicit(&worker->next, peer, memory_order_release);
    }
    owner_section_end(worker);
    return waits || next == peer;
}

// Locks what others hold at most while they close.
void scheduler_lock(const Platform *platform, pthread_mutex_t *lock);
// Afterwards no worker is in an owner section until scheduler_resume, and every actor that waits does so visibly. A rollback
// generation that was raised before is seen by every actor that is about to wait. This is expensive, unless all other workers rest: those see it all
// before they run something.
void scheduler_quiesce(Scheduler *scheduler);
void scheduler_resume(Scheduler *scheduler);

// Something was put where others may take it: wakes a worker if there is one that does nothing.
void scheduler_offer(Scheduler *scheduler);
// Is there a pool worker, or can one be had? Without one nothing that is started would ever run.
bool scheduler_has_worker(Scheduler *scheduler);
// Could the caller's thread work for this session?
bool scheduler_can_serve(const Session *session);
// Works for a new session on the calling thread while there is something to do. False: no place free, nothing done.
bool scheduler_serve(Scheduler *scheduler, Session *session);
// The same for a session that has been started and is awaited by the calling thread, as far as no worker has begun with its
// actors. False: there was nothing to be done, or no place.
bool scheduler_help_session(Scheduler *scheduler, Session *session);

// The worker's own thread, when `turn` has reached `slice_end`. False: nobody waits, and a new slice begins.
bool worker_slice_is_over(Worker *worker);
// Does an actor wait in a queue that this worker serves, while the worker goes from one actor to the next?
bool worker_has_queue(Worker *worker);
// Is there something that was given to this worker?
bool scheduler_worker_has_work(Worker *worker);
// Wakes a worker, or starts one, if more are needed.
void scheduler_help(Scheduler *scheduler);
// Somebody has begun to wait for a descriptor: makes sure that a worker looks at those. False: none could be started.
bool scheduler_attend(Scheduler *scheduler);

// For the files of this folder.

// Another worker is to look for descriptors: this one is at something else.
void scheduler_stop_polling(Scheduler *scheduler, Worker *worker);
// Wakes up the watch, or starts it.
void watch_needed(Scheduler *scheduler);
void watch_fini(Scheduler *scheduler);
// NULL: no memory.
Worker *worker_new(Scheduler *scheduler, bool is_guest);
void worker_free(Worker *worker);
// Starts one more worker of the pool. The lock is held.
bool worker_start(Scheduler *scheduler);
// False: it does not sleep.
bool worker_wake(Worker *worker);
// The worker's own thread: actors whose descriptors are ready go into its queue, or to the workers that have their sessions. Waits
// for that if it is told to (poller_poll). One worker does this for all, so that the others are not woken for what takes a few
// microseconds, and sessions stay where they are. Does nothing if that is another one. False: another thread waits in the poller
// already.
bool worker_poll(Worker *worker, int timeout_ms);
// So many pool workers may be awake.
uint32_t scheduler_awake_limit(Scheduler *scheduler);
// The worker's own thread: the actor to be run next here. NULL: none.
Actor *worker_take_own(Worker *worker);
// The robber's own thread: takes away what the worker was to run next, and more if it is behind. NULL: nothing there, or others are at
// it.
Actor *worker_rob(Worker *worker, Worker *robber);
// Any thread: takes away what the worker was given and has not taken yet. NULL: nothing.
Actor *handoff_take(Worker *worker);
// The worker's own thread: what it was to run next is given away if roles of the session compute at the same time.
void worker_share(Worker *worker, Session *session);
// As scheduler_quiesce. False: others are at it, nothing was done.
bool scheduler_try_quiesce(Scheduler *scheduler);
// Runs the actor, which is in hand, and those that it hands over to.
void worker_turn(Worker *worker, Actor *actor);
// The function of the actor's role has ended the thread that served this worker, in the middle of a turn.
void worker_adopt_orphan(Worker *worker, Actor *actor);
// The calling thread ends in the middle of something: of a role's function, whose actor this returns? Else that can't be put
// right.
Actor *thread_exits_in_role(const Guard *outer);

#endif
