// scheduler.c: see scheduler.h.

#include "runtime/sched/scheduler.h"

#include "runtime/isolation/isolation.h"
#include "runtime/recovery/broken.h"
#include "runtime/session/log.h"
#include "runtime/recovery/checkpoint.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

#include <string.h>

// ---- queues ----

static void worker_init(Worker *worker, Scheduler *scheduler, bool is_guest)
{
    memset(worker, 0, sizeof *worker);
    worker->is_guest = is_guest;
    worker->scheduler = scheduler;
    worker->stall_ns = STALL_NS;
    pthread_mutex_init(&worker->lock, NULL);
}

static void worker_fini(Worker *worker)
{
    pages_free(worker->scheduler->runtime, &worker->pages);
    pthread_mutex_destroy(&worker->lock);
}

static void queue_append(Worker *worker, Actor *first, Actor *last, uint32_t count)
{
    last->next_queued = NULL;
    pthread_mutex_lock(&worker->lock);
    if (worker->first == NULL)
        worker->first = first;
    else
        worker->last->next_queued = first;
    worker->last = last;
    atomic_store(&worker->queued, atomic_load_explicit(&worker->queued, memory_order_relaxed) + count);
    pthread_mutex_unlock(&worker->lock);
}

// On a simulated machine any one may come first. The lock of the list is held.
static CHX_COLD void list_choose_first(const Platform *platform, Actor **first, Actor **last, uint32_t count)
{
    Actor *before = *first;
    uint32_t chosen_at = platform->choose(count);
    if (chosen_at == 0)
        return;
    while (--chosen_at > 0)
        before = before->next_queued;
    Actor *chosen = before->next_queued;
    before->next_queued = chosen->next_queued;
    if (*last == chosen)
        *last = before;
    chosen->next_queued = *first;
    *first = chosen;
}

// The first one. `freely`: not if its session is pinned to the worker.
static Actor *queue_take_if(Worker *worker, bool freely)
{
    if (atomic_load(&worker->queued) == 0)
        return NULL;
    pthread_mutex_lock(&worker->lock);
    if (worker->scheduler->platform->choose != NULL && worker->first != NULL)
        list_choose_first(worker->scheduler->platform, &worker->first, &worker->last, atomic_load(&worker->queued));
    Actor *actor = worker->first;
    if (freely && actor != NULL && session_is_pinned(actor->session))
        actor = NULL;
    if (actor != NULL) {
        worker->first = actor->next_queued;
        atomic_store(&worker->queued, atomic_load_explicit(&worker->queued, memory_order_relaxed) - 1);
    }
    pthread_mutex_unlock(&worker->lock);
    return actor;
}

static Actor *queue_take(Worker *worker)
{
    return queue_take_if(worker, false);
}

static bool scheduler_try_quiesce(Scheduler *scheduler);

// The worker's own thread.
static Actor *next_take(Worker *worker)
{
    if (atomic_load_explicit(&worker->next, memory_order_relaxed) == NULL)
        return NULL;
    if (!owner_section_begin(worker))
        return atomic_exchange(&worker->next, NULL);
    Actor *actor = atomic_load_explicit(&worker->next, memory_order_relaxed);
    atomic_store_explicit(&worker->next, NULL, memory_order_relaxed);
    owner_section_end(worker);
    return actor;
}

// Any thread: what the worker was to run next will be run by another one.
static Actor *worker_rob(Worker *worker)
{
    if (!scheduler_worker_has_work(worker) || !scheduler_try_quiesce(worker->scheduler))
        return NULL;
    Actor *actor = atomic_exchange(&worker->next, NULL);
    if (actor == NULL)
        actor = queue_take(worker);
    if (actor != NULL)
        session_unpin(actor->session);
    scheduler_resume(worker->scheduler);
    return actor;
}

bool worker_has_queue(Worker *worker)
{
    // A guest serves its own session only, whose actors are never in the scheduler's queue for long.
    return atomic_load_explicit(&worker->queued, memory_order_relaxed) != 0 ||
           (!worker->is_guest && atomic_load_explicit(&worker->scheduler->queued, memory_order_relaxed) != 0);
}

static void worker_slice_begin(Worker *worker)
{
    uint64_t turn = atomic_load_explicit(&worker->turn, memory_order_relaxed);
    // Sequentially consistent: either this is seen by who closes the scheduler, which then ends the slice, or that is seen
    // here.
    atomic_store(&worker->slice_end, turn + 2 * SLICE_TURNS);
    if (atomic_load(&worker->scheduler->quiesced) != 0)
        atomic_store(&worker->slice_end, 0);
}

bool worker_slice_is_over(Worker *worker)
{
    if (worker_has_queue(worker))
        return true;
    worker_slice_begin(worker);
    return false;
}

// Takes a share of what is in no worker's queue, the oldest first, to the end of this worker's. The rest is for others,
// which may also steal from this queue.
static void worker_refill(Worker *worker)
{
    Scheduler *scheduler = worker->scheduler;
    if (worker->is_guest || atomic_load(&scheduler->queued) == 0)
        return;
    pthread_mutex_lock(&scheduler->lock);
    uint32_t queued = atomic_load_explicit(&scheduler->queued, memory_order_relaxed);
    uint32_t count = queued - queued / 2 < REFILL_MAX ? queued - queued / 2 : REFILL_MAX;
    Actor *first = scheduler->first, *last = first;
    for (uint32_t i = 1; i < count; i++)
        last = last->next_queued;
    if (count > 0) {
        scheduler->first = last->next_queued;
        atomic_store(&scheduler->queued, queued - count);
    }
    pthread_mutex_unlock(&scheduler->lock);
    if (count > 0)
        queue_append(worker, first, last, count);
}

// At the end of a slice: whoever waits in a queue has a turn before what was to be run next, however often those two wake
// each other. NULL: nobody waits.
static Actor *worker_take_waiting(Worker *worker)
{
    worker_slice_begin(worker);
    if (!worker_has_queue(worker))
        return NULL;
    worker_refill(worker);
    Actor *actor = queue_take(worker);
    Actor *next = actor != NULL ? next_take(worker) : NULL;
    if (next != NULL)
        queue_append(worker, next, next, 1);
    return actor;
}

static Actor *worker_take_own(Worker *worker)
{
    Actor *actor = NULL;
    if (atomic_load_explicit(&worker->turn, memory_order_relaxed) >=
        atomic_load_explicit(&worker->slice_end, memory_order_relaxed))
        actor = worker_take_waiting(worker);
    if (actor == NULL)
        actor = next_take(worker);
    return actor != NULL ? actor : queue_take(worker);
}

static Actor *scheduler_take(Scheduler *scheduler)
{
    if (atomic_load(&scheduler->queued) == 0)
        return NULL;
    pthread_mutex_lock(&scheduler->lock);
    if (scheduler->platform->choose != NULL && scheduler->first != NULL)
        list_choose_first(scheduler->platform, &scheduler->first, &scheduler->last, atomic_load(&scheduler->queued));
    Actor *actor = scheduler->first;
    if (actor != NULL) {
        scheduler->first = actor->next_queued;
        atomic_store(&scheduler->queued, atomic_load_explicit(&scheduler->queued, memory_order_relaxed) - 1);
    }
    pthread_mutex_unlock(&scheduler->lock);
    return actor;
}

bool scheduler_worker_has_work(Worker *worker)
{
    return atomic_load(&worker->queued) != 0 || atomic_load(&worker->next) != NULL;
}

bool scheduler_has_work(Scheduler *scheduler, Worker *worker)
{
    return atomic_load_explicit(&scheduler->queued, memory_order_relaxed) != 0 || scheduler_worker_has_work(worker);
}

// ---- waking ----

static void *worker_main(void *argument);

static void worker_wake(Worker *worker)
{
    if (atomic_exchange(&worker->woken, 1) == 0)
        worker->scheduler->platform->wake(&worker->woken);
}

// Starts one more worker. The lock is held.
static bool worker_start(Scheduler *scheduler)
{
    uint32_t count = atomic_load(&scheduler->worker_count);
    if (count == WORKER_LIMIT)
        return false;
    Worker *worker = runtime_allocate(scheduler->runtime, sizeof *worker);
    if (worker == NULL)
        return false;
    worker_init(worker, scheduler, false);
    if (!scheduler->platform->thread_start(&worker->thread, worker_main, worker)) {
        pthread_mutex_destroy(&worker->lock);
        runtime_release(scheduler->runtime, worker);
        return false;
    }
    atomic_store(&scheduler->workers[count], worker);
    atomic_store(&scheduler->worker_count, count + 1);
    return true;
}

bool scheduler_has_worker(Scheduler *scheduler)
{
    if (atomic_load_explicit(&scheduler->worker_count, memory_order_relaxed) != 0)
        return true;
    pthread_mutex_lock(&scheduler->lock);
    bool has_worker = atomic_load(&scheduler->worker_count) != 0 || worker_start(scheduler);
    pthread_mutex_unlock(&scheduler->lock);
    return has_worker;
}

// Where many block, more are likely to: some are let in beforehand.
static uint32_t scheduler_awake_limit(Scheduler *scheduler)
{
    uint32_t blocked = atomic_load(&scheduler->blocked);
    return scheduler->wanted + blocked + blocked / 2;
}

// The program may be slow from now on, or wait for ever if the functions that its threads are in wait for one another.
static void scheduler_warn(Scheduler *scheduler)
{
    unsigned count = atomic_load(&scheduler->worker_count);
    if (count == WORKER_LIMIT)
        log_write(scheduler->runtime, CHX_LOG_WARN,
                  "%u threads are inside of roles' functions, and there can't be more: other roles wait until one of "
                  "these functions returns",
                  count);
    else
        log_write(scheduler->runtime, CHX_LOG_WARN,
                  "no further thread could be started: roles wait while the %u that there are are inside of functions",
                  count);
}

void scheduler_help(Scheduler *scheduler)
{
    Worker *woken = NULL;
    bool is_refused = false;
    pthread_mutex_lock(&scheduler->lock);
    if (scheduler->sleeping != NULL) {
        woken = scheduler->sleeping;
        scheduler->sleeping = woken->next_sleeping;
        woken->is_sleeping = false;
        atomic_fetch_sub(&scheduler->sleeping_count, 1);
    } else if (atomic_load(&scheduler->worker_count) < scheduler_awake_limit(scheduler) &&
               !atomic_load(&scheduler->closing)) {
        is_refused = !worker_start(scheduler);
    }
    pthread_mutex_unlock(&scheduler->lock);
    if (woken != NULL)
        worker_wake(woken);
    if (is_refused && !atomic_exchange(&scheduler->is_exhausted, true))
        scheduler_warn(scheduler);
}

void scheduler_offer(Scheduler *scheduler)
{
    // A worker that searches will find it, or look again before it sleeps.
    if (atomic_load(&scheduler->searching) != 0)
        return;
    if (atomic_load(&scheduler->sleeping_count) != 0 || atomic_load(&scheduler->worker_count) < scheduler->wanted)
        scheduler_help(scheduler);
}

void scheduler_start(Scheduler *scheduler, Actor *first, Actor *last, unsigned count)
{
    last->next_queued = NULL;
    pthread_mutex_lock(&scheduler->lock);
    if (scheduler->first == NULL)
        scheduler->first = first;
    else
        scheduler->last->next_queued = first;
    scheduler->last = last;
    atomic_store(&scheduler->queued, atomic_load_explicit(&scheduler->queued, memory_order_relaxed) + count);
    pthread_mutex_unlock(&scheduler->lock);
    scheduler_offer(scheduler);
}

// To be run next by this worker, whose own thread this is. True: that takes the place of another one, which is in its
// queue now.
static bool worker_put_next(Worker *worker, Actor *actor)
{
    // Only this thread puts something there, so an empty place stays empty.
    Actor *displaced = NULL;
    if (atomic_load_explicit(&worker->next, memory_order_relaxed) == NULL)
        atomic_store_explicit(&worker->next, actor, memory_order_release);
    else
        displaced = atomic_exchange(&worker->next, actor);
    if (displaced != NULL)
        queue_append(worker, displaced, displaced, 1);
    return displaced != NULL;
}

void scheduler_ready_here(Actor *actor)
{
    worker_put_next(current()->worker, actor);
}

void scheduler_ready(Scheduler *scheduler, Actor *actor)
{
    Current *here = current();
    Worker *worker = here->worker;
    here->busy++;
    if (worker == NULL || worker->scheduler != scheduler || (worker->is_guest && worker->session != actor->session)) {
        scheduler_start(scheduler, actor, actor, 1);
    } else if (worker_put_next(worker, actor) && !worker->is_guest) {
        scheduler_offer(scheduler);
    }
    here->busy--;
}

// ---- handing actors to idle workers ----

// Any thread: what the worker was given and has not taken yet.
static Actor *handoff_take(Worker *worker)
{
    uintptr_t handoff = atomic_load_explicit(&worker->handoff, memory_order_relaxed);
    if (handoff == HANDOFF_NONE || handoff == HANDOFF_WANTED ||
        !atomic_compare_exchange_strong(&worker->handoff, &handoff, HANDOFF_NONE))
        return NULL;
    return (Actor *)handoff;
}

static bool handoff_is_wanted(Worker *worker)
{
    return worker != NULL && atomic_load_explicit(&worker->handoff, memory_order_relaxed) == HANDOFF_WANTED;
}

// Rather where the actor was before. NULL: nobody.
static Worker *idle_worker_for(Scheduler *scheduler, Actor *actor)
{
    Worker *idle_worker = atomic_load_explicit(&actor->home, memory_order_acquire);
    if (handoff_is_wanted(idle_worker))
        return idle_worker;
    idle_worker = atomic_load_explicit(&scheduler->idle_worker, memory_order_acquire);
    return handoff_is_wanted(idle_worker) ? idle_worker : NULL;
}

bool scheduler_has_idle_worker(Scheduler *scheduler, Actor *actor)
{
    return idle_worker_for(scheduler, actor) != NULL;
}

bool scheduler_hand_off(Scheduler *scheduler, Worker *worker, Actor *actor)
{
    Worker *idle_worker = idle_worker_for(scheduler, actor);
    if (idle_worker == NULL)
        return false;
    // No other worker has an actor of a session that is pinned to this one; from now on one may.
    if (session_is_pinned_to(actor->session, worker))
        session_unpin(actor->session);
    uintptr_t wanted = HANDOFF_WANTED;
    return atomic_compare_exchange_strong(&idle_worker->handoff, &wanted, (uintptr_t)actor);
}

// ---- taking turns on one worker ----

static void worker_await_outside(Scheduler *scheduler, Worker *worker)
{
    // It is inside for a few instructions, unless the system has taken the processor away from it.
    for (int i = 0; atomic_load_explicit(&worker->in_section, memory_order_acquire); i++) {
        _Atomic uint32_t pause = 0;
        if (i < CLOSE_SPIN_ROUNDS)
            scheduler->platform->relax();
        else
            scheduler->platform->sleep_on(&pause, 0, CLOSE_PAUSE_NS);
    }
}

void scheduler_lock(const Platform *platform, pthread_mutex_t *lock)
{
    for (int i = 0; i < LOCK_SPIN_ROUNDS; i++) {
        if (pthread_mutex_trylock(lock) == 0)
            return;
        platform->relax();
    }
    pthread_mutex_lock(lock);
}

// Is there no worker but this thread's that runs something? One that rests says so no longer (worker_begins), and
// has a fence after that, before it does. The lock is held.
static bool scheduler_others_rest(Scheduler *scheduler)
{
    const Worker *own = current()->worker;
    uint32_t count = atomic_load(&scheduler->worker_count);
    for (uint32_t i = 0; i < count; i++) {
        Worker *worker = atomic_load(&scheduler->workers[i]);
        if (worker != own && !atomic_load(&worker->rests))
            return false;
    }
    count = atomic_load(&scheduler->guest_count);
    for (uint32_t i = 0; i < count; i++)
        if (scheduler_guest(scheduler, i) != own && atomic_load(&scheduler_guest(scheduler, i)->claimed))
            return false;
    return true;
}

// A worker that is about to hand over asks first whether the scheduler is quiesced and the rollback generation another.
static void scheduler_end_slices(Scheduler *scheduler)
{
    if (is_broken(BROKEN_SLICES_SURVIVE))
        return;
    uint32_t count = atomic_load(&scheduler->worker_count);
    for (uint32_t i = 0; i < count; i++)
        atomic_store(&atomic_load(&scheduler->workers[i])->slice_end, 0);
    count = atomic_load(&scheduler->guest_count);
    for (uint32_t i = 0; i < count; i++)
        atomic_store(&scheduler_guest(scheduler, i)->slice_end, 0);
}

// The lock is held, and given back. Workers are started under it: there are none that don't see this.
static void scheduler_quiesce_locked(Scheduler *scheduler)
{
    atomic_fetch_add(&scheduler->quiesced, 1);
    scheduler_end_slices(scheduler);
    if (scheduler_others_rest(scheduler)) {
        pthread_mutex_unlock(&scheduler->lock);
        return;
    }
    scheduler->platform->fence_all();
    uint32_t count = atomic_load(&scheduler->worker_count);
    for (uint32_t i = 0; i < count; i++)
        worker_await_outside(scheduler, atomic_load(&scheduler->workers[i]));
    count = atomic_load(&scheduler->guest_count);
    for (uint32_t i = 0; i < count; i++)
        worker_await_outside(scheduler, scheduler_guest(scheduler, i));
    pthread_mutex_unlock(&scheduler->lock);
}

void scheduler_quiesce(Scheduler *scheduler)
{
    if (!scheduler->has_fence)
        return;
    Current *here = current();
    here->busy++;
    scheduler_lock(scheduler->platform, &scheduler->lock);
    scheduler_quiesce_locked(scheduler);
    here->busy--;
}

// False: others are at it, nothing was done.
static bool scheduler_try_quiesce(Scheduler *scheduler)
{
    if (!scheduler->has_fence)
        return true;
    if (pthread_mutex_trylock(&scheduler->lock) != 0)
        return false;
    scheduler_quiesce_locked(scheduler);
    return true;
}

void scheduler_resume(Scheduler *scheduler)
{
    if (scheduler->has_fence)
        atomic_fetch_sub(&scheduler->quiesced, 1);
}

// ---- running ----

// The worker's own thread, before it goes on with an actor of the session: what it was to run next could be done by
// another one.
static void worker_share(Worker *worker, Session *session)
{
    if (atomic_load_explicit(&session->apart, memory_order_relaxed) == 0)
        return;
    Actor *next = next_take(worker);
    if (next != NULL && !scheduler_hand_off(worker->scheduler, worker, next))
        worker_put_next(worker, next);
}

static void worker_turn(Worker *worker, Actor *actor)
{
    Scheduler *scheduler = worker->scheduler;
    uint64_t turn = atomic_load_explicit(&worker->turn, memory_order_relaxed);
    atomic_store_explicit(&worker->turn, turn + 1, memory_order_relaxed);
    if (atomic_load_explicit(&scheduler->watch, memory_order_relaxed) != WATCH_RUNS)
        watch_needed(scheduler);
    Guard guard;
    for (;;) {
        ActorOutcome outcome = ACTOR_STOPPED;
        if (!session_is_stopping(actor->session)) {
            outcome = actor_run(actor, &guard, worker);
            actor = guard.actor;
        }
        if (outcome == ACTOR_WAITS) {
            if (actor_wait(actor))
                break;
            continue;
        }
        if (outcome == ACTOR_FAILED && checkpoint_recover(actor, &guard.fault)) {
            worker_share(worker, actor->session);
            continue;
        }
        if (outcome == ACTOR_YIELDS)
            queue_append(worker, actor, actor, 1);
        else
            session_actor_left(actor, outcome, &guard);
        break;
    }
    turn = atomic_load_explicit(&worker->turn, memory_order_relaxed);
    atomic_store_explicit(&worker->turn, turn + 1, memory_order_relaxed);
}

// The function of the actor's role has ended the thread that served this worker, in the middle of a turn.
static void worker_adopt_orphan(Worker *worker, Actor *actor)
{
    Guard guard;
    actor_thread_exited(actor, &guard);
    if (checkpoint_recover(actor, &guard.fault))
        queue_append(worker, actor, actor, 1);
    else
        session_actor_left(actor, ACTOR_FAILED, &guard);
    uint64_t turn = atomic_load_explicit(&worker->turn, memory_order_relaxed);
    atomic_store_explicit(&worker->turn, turn + 1, memory_order_relaxed);
}

// The calling thread ends in the middle of something: of a role's function? Else that can't be put right.
static Actor *thread_exits_in_role(const Guard *outer)
{
    const Current *here = current();
    if (here->guard == outer || current_is_busy())
        log_misuse("pthread_exit in a function that the runtime has called and that is not part of a role's step");
    return here->actor;
}

// ---- guests ----

// The lock is held. False: no memory.
static bool guest_room_make(Scheduler *scheduler, unsigned room)
{
    uint32_t count = (uint32_t)GUEST_LIMIT << room;
    if (atomic_load(&scheduler->guest_rooms[room]) != NULL)
        return true;
    Worker *guests = runtime_allocate(scheduler->runtime, count * sizeof *guests);
    if (guests == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        worker_init(&guests[i], scheduler, true);
        guests[i].index = count + i;
    }
    atomic_store(&scheduler->guest_rooms[room], guests);
    return true;
}

static void guest_room_free(Scheduler *scheduler, unsigned room)
{
    Worker *guests = atomic_load(&scheduler->guest_rooms[room]);
    if (guests == NULL)
        return;
    for (uint32_t i = 0; i < (uint32_t)GUEST_LIMIT << room; i++)
        worker_fini(&guests[i]);
    runtime_release(scheduler->runtime, guests);
}

// A place for the calling thread, which is about to wait for the session. NULL: none free.
static Worker *guest_claim_usual(Scheduler *scheduler)
{
    for (uint32_t i = 0; i < GUEST_LIMIT; i++) {
        Worker *guest = &scheduler->guests[i];
        if (atomic_load_explicit(&guest->claimed, memory_order_relaxed) || atomic_exchange(&guest->claimed, true))
            continue;
        uint32_t highest = atomic_load(&scheduler->guest_count);
        while (highest < i + 1 && !atomic_compare_exchange_weak(&scheduler->guest_count, &highest, i + 1))
            ;
        return guest;
    }
    return NULL;
}

// The same inside of a role's function, if there is none of the usual ones. If threads of the pool had to run what other
// threads of the pool wait for, these could run out.
static CHX_COLD Worker *guest_claim_nested(Scheduler *scheduler)
{
    const Worker *own = current()->worker;
    bool is_own = own != NULL && own->is_guest && own->scheduler == scheduler;
    // Those before its own place are taken by the sessions that this one is inside of, as a rule.
    uint32_t index = is_own && own->index >= GUEST_LIMIT ? own->index + 1 : GUEST_LIMIT;
    Worker *claimed = NULL;
    pthread_mutex_lock(&scheduler->lock);
    for (; claimed == NULL && index < (uint32_t)GUEST_LIMIT << GUEST_ROOMS; index++) {
        if (!guest_room_make(scheduler, guest_room(index)))
            break;
        Worker *guest = scheduler_guest(scheduler, index);
        if (!atomic_load(&guest->claimed))
            claimed = guest;
    }
    if (claimed != NULL) {
        atomic_store(&claimed->claimed, true);
        if (atomic_load(&scheduler->guest_count) < index)
            atomic_store(&scheduler->guest_count, index);
    }
    pthread_mutex_unlock(&scheduler->lock);
    return claimed;
}

static Worker *guest_claim(Scheduler *scheduler, Session *session)
{
    Worker *guest = guest_claim_usual(scheduler);
    if (guest == NULL && current()->actor != NULL)
        guest = guest_claim_nested(scheduler);
    if (guest != NULL)
        guest->session = session;
    return guest;
}

static void guest_unclaim(Worker *worker)
{
    Scheduler *scheduler = worker->scheduler;
    if (worker->index < GUEST_LIMIT) {
        atomic_store(&worker->claimed, false);
        return;
    }
    pthread_mutex_lock(&scheduler->lock);
    atomic_store(&worker->claimed, false);
    uint32_t count = atomic_load(&scheduler->guest_count);
    while (count > GUEST_LIMIT && !atomic_load(&scheduler_guest(scheduler, count - 1)->claimed))
        count--;
    atomic_store(&scheduler->guest_count, count);
    pthread_mutex_unlock(&scheduler->lock);
}

// The thread has nothing more to do for its session, which can't have been freed: that is up to this thread.
static void guest_release(Worker *worker)
{
    Worker *served_by = worker;
    // Another worker may have it by now.
    atomic_compare_exchange_strong(&worker->session->worker, &served_by, NULL);
    guest_unclaim(worker);
}

// What the thread was before it became a guest.
typedef struct {
    Worker *worker; // the guest
    Current before;
    ThreadState thread;
} Visit;

// A role's function has ended the thread while it was a guest. Its frames below this one are gone. The role has failed; what
// is left of the session is done by the pool, and the thread waits for that before it ends: its caller's variables, which
// the session may use, are still there.
static void guest_exits(void *argument)
{
    Visit *visit = argument;
    Worker *worker = visit->worker;
    Scheduler *scheduler = worker->scheduler;
    Session *session = worker->session;
    Current *here = current();
    Actor *actor = thread_exits_in_role(visit->before.guard);
    *here = visit->before;
    here->worker = worker;
    here->busy++;
    isolation_thread_leave(&visit->thread);
    worker_adopt_orphan(worker, actor);
    scheduler_quiesce(scheduler);
    session_unpin(session);
    scheduler_resume(scheduler);
    bool has_pool = scheduler_has_worker(scheduler);
    while ((actor = worker_take_own(worker)) != NULL) {
        if (has_pool)
            scheduler_start(scheduler, actor, actor, 1);
        else
            worker_turn(worker, actor);
    }
    here->worker = visit->before.worker;
    guest_release(worker);
    here->busy--;
    session_finish_exiting(session);
}

static void guest_serve(Worker *worker)
{
    Current *here = current();
    Visit visit;
    visit.worker = worker;
    visit.before = *here;
    pthread_cleanup_push(guest_exits, &visit);
    here->worker = worker;
    here->depth++;
    isolation_thread_enter(worker->scheduler->runtime, &visit.thread);
    for (Actor *actor; (actor = worker_take_own(worker)) != NULL;)
        worker_turn(worker, actor);
    isolation_thread_leave(&visit.thread);
    here->depth--;
    here->worker = visit.before.worker;
    pthread_cleanup_pop(0);
    guest_release(worker);
}

bool scheduler_can_serve(const Session *session)
{
    return session->actor_count > 0 && session->isolated == NULL;
}

bool scheduler_serve(Scheduler *scheduler, Session *session)
{
    unsigned count = session->actor_count;
    bool serves = scheduler_can_serve(session);
    // On a simulated machine the pool runs some of them from the beginning.
    if (serves && scheduler->platform->serves != NULL && current()->actor == NULL)
        serves = scheduler->platform->serves();
    Worker *worker = serves ? guest_claim(scheduler, session) : NULL;
    if (worker == NULL)
        return false;
    atomic_store_explicit(&session->worker, worker, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); // as in worker_begins: it did not count before it was claimed
    queue_append(worker, &session->actors[0], &session->actors[count - 1], count);
    guest_serve(worker);
    return true;
}

// Actors of one session, chained.
typedef struct {
    Actor *first, *last;
    uint32_t count;
} Found;

// Takes the session's actors out of a queue, whose lock is held.
static void found_take(Found *found, const Session *session, Actor **first, Actor **last, _Atomic uint32_t *queued)
{
    Actor *kept = NULL;
    for (Actor *actor = *first, *next; actor != NULL; actor = next) {
        next = actor->next_queued;
        if (actor->session != session) {
            kept = actor;
            continue;
        }
        *(kept != NULL ? &kept->next_queued : first) = next;
        *(found->last != NULL ? &found->last->next_queued : &found->first) = actor;
        actor->next_queued = NULL;
        found->last = actor;
        found->count++;
        atomic_store(queued, atomic_load_explicit(queued, memory_order_relaxed) - 1);
    }
    *last = kept;
}

// Those of the session's actors that wait for a worker to run them.
static Found scheduler_take_of(Scheduler *scheduler, Session *session)
{
    Found found = {NULL, NULL, 0};
    pthread_mutex_lock(&scheduler->lock);
    found_take(&found, session, &scheduler->first, &scheduler->last, &scheduler->queued);
    pthread_mutex_unlock(&scheduler->lock);
    // Usually a worker runs what is in its queue, or another one does. Not if they all are inside of functions.
    if (found.first != NULL || !atomic_load(&scheduler->is_exhausted))
        return found;
    scheduler_quiesce(scheduler);
    session_unpin(session);
    scheduler_resume(scheduler);
    uint32_t count = atomic_load(&scheduler->worker_count);
    for (uint32_t i = 0; i < count; i++) {
        Worker *worker = atomic_load(&scheduler->workers[i]);
        if (atomic_load(&worker->queued) == 0)
            continue;
        pthread_mutex_lock(&worker->lock);
        found_take(&found, session, &worker->first, &worker->last, &worker->queued);
        pthread_mutex_unlock(&worker->lock);
    }
    return found;
}

bool scheduler_help_session(Scheduler *scheduler, Session *session)
{
    bool is_exhausted = atomic_load(&scheduler->is_exhausted);
    if (!scheduler_can_serve(session) || (!is_exhausted && atomic_load(&scheduler->queued) == 0))
        return false;
    Worker *worker = guest_claim(scheduler, session);
    if (worker == NULL)
        return false;
    Found found = scheduler_take_of(scheduler, session);
    if (found.first != NULL) {
        atomic_thread_fence(memory_order_seq_cst); // as in worker_begins
        queue_append(worker, found.first, found.last, found.count);
        guest_serve(worker);
    } else {
        guest_unclaim(worker);
    }
    return found.first != NULL;
}

// ---- pool workers ----

// A worker that was seen in a turn, with work waiting behind it.
typedef struct {
    Worker *worker;
    uint64_t turn;
    uint64_t since_ns;
} Suspect;

static Actor *steal_from(Worker *victim, Suspect *suspect, uint64_t stall_ns, uint64_t now_ns)
{
    Actor *actor = NULL;
    if (!victim->is_guest) {
        actor = handoff_take(victim);
        if (actor == NULL)
            actor = queue_take_if(victim, true);
        if (actor == NULL && atomic_load(&victim->queued) >= BACKLOG)
            actor = worker_rob(victim);
    }
    if (actor != NULL)
        return actor;
    if (!scheduler_worker_has_work(victim)) {
        if (suspect->worker == victim)
            suspect->worker = NULL;
        return NULL;
    }
    uint64_t turn = atomic_load_explicit(&victim->turn, memory_order_relaxed);
    bool stalled = turn % 2 == 1 && atomic_load_explicit(&victim->stalled, memory_order_relaxed) == turn;
    if (!stalled && suspect->worker == victim && suspect->turn == turn)
        stalled = now_ns - suspect->since_ns >= stall_ns;
    else if (!stalled && turn % 2 == 1 && suspect->worker == NULL)
        *suspect = (Suspect){victim, turn, now_ns};
    if (!stalled) {
        if (suspect->worker == victim && suspect->turn != turn)
            suspect->worker = NULL;
        return NULL;
    }
    actor = worker_rob(victim);
    if (actor != NULL) {
        session_set_apart(actor->session, APART);
        worker_shares(victim);
    }
    return actor;
}

static Actor *worker_steal(Worker *worker, Suspect *suspect, uint64_t now_ns)
{
    Scheduler *scheduler = worker->scheduler;
    uint32_t count = atomic_load(&scheduler->worker_count);
    for (uint32_t i = 0; i < count; i++) {
        Worker *victim = atomic_load_explicit(&scheduler->workers[i], memory_order_acquire);
        Actor *actor = victim != worker ? steal_from(victim, suspect, worker->stall_ns, now_ns) : NULL;
        if (actor != NULL)
            return actor;
    }
    count = atomic_load(&scheduler->guest_count);
    for (uint32_t i = 0; i < count; i++) {
        Worker *victim = scheduler_guest(scheduler, i);
        Actor *actor = NULL;
        if (atomic_load(&victim->claimed))
            actor = steal_from(victim, suspect, worker->stall_ns, now_ns);
        else if (suspect->worker == victim)
            suspect->worker = NULL;
        if (actor != NULL)
            return actor;
    }
    return NULL;
}

static Actor *worker_take(Worker *worker, Suspect *suspect, uint64_t now_ns)
{
    Actor *actor = worker_take_own(worker);
    if (actor == NULL)
        actor = scheduler_take(worker->scheduler);
    if (actor == NULL && (actor = worker_steal(worker, suspect, now_ns)) != NULL)
        worker->helps = true;
    return actor;
}

static bool scheduler_anything_queued(Scheduler *scheduler)
{
    if (atomic_load(&scheduler->queued) != 0)
        return true;
    uint32_t count = atomic_load(&scheduler->worker_count);
    for (uint32_t i = 0; i < count; i++)
        if (atomic_load(&atomic_load(&scheduler->workers[i])->queued) != 0)
            return true;
    return false;
}

// What it found or was given; if it is both, the one lies in its queue.
static Actor *worker_search_ends(Worker *worker, Actor *found)
{
    uintptr_t handoff = atomic_exchange(&worker->handoff, HANDOFF_NONE);
    if (handoff == HANDOFF_NONE || handoff == HANDOFF_WANTED)
        return found;
    worker->helps = true;
    if (found != NULL)
        queue_append(worker, found, found, 1);
    return (Actor *)handoff;
}

// Looks around for a while before the worker sleeps: waking it up again costs more.
static Actor *worker_search(Worker *worker)
{
    Scheduler *scheduler = worker->scheduler;
    const Platform *platform = scheduler->platform;
    Suspect suspect = {0};
    uint64_t start_ns = platform->now_ns(), now_ns = start_ns;
    bool shares = atomic_load_explicit(&worker->shares, memory_order_relaxed);
    uint64_t limit_ns = shares ? SPIN_AFTER_HELP_NS : SPIN_NS;
    Actor *actor = NULL;
    atomic_fetch_add(&scheduler->searching, 1);
    atomic_store(&worker->handoff, HANDOFF_WANTED);
    atomic_store(&scheduler->idle_worker, worker);
    do {
        actor = worker_take(worker, &suspect, now_ns);
        for (int i = 0;
             i < 16 && actor == NULL && atomic_load_explicit(&worker->handoff, memory_order_relaxed) == HANDOFF_WANTED;
             i++)
            platform->relax();
        now_ns = platform->now_ns();
        // Not while one is suspected: it will be known soon.
    } while (actor == NULL && (now_ns - start_ns < limit_ns || suspect.worker != NULL) &&
             atomic_load_explicit(&worker->handoff, memory_order_relaxed) == HANDOFF_WANTED &&
             !atomic_load(&scheduler->closing));
    actor = worker_search_ends(worker, actor);
    if (actor == NULL)
        atomic_store_explicit(&worker->shares, false, memory_order_relaxed);
    uint32_t others = atomic_fetch_sub(&scheduler->searching, 1) - 1;
    // While this one searched, nobody was woken for anything; there may be more.
    if (actor != NULL && others == 0 && scheduler_anything_queued(scheduler))
        scheduler_offer(scheduler);
    return actor;
}

static bool worker_is_surplus(Scheduler *scheduler)
{
    uint32_t awake = atomic_load(&scheduler->worker_count) - atomic_load(&scheduler->sleeping_count);
    return awake > scheduler_awake_limit(scheduler);
}

// Before it runs something. What others have said while it rested is seen from here on.
static void worker_begins(Worker *worker)
{
    if (!atomic_load_explicit(&worker->rests, memory_order_relaxed))
        return;
    atomic_store_explicit(&worker->rests, false, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}

static void worker_sleep(Worker *worker, bool is_surplus)
{
    Scheduler *scheduler = worker->scheduler;
    pthread_mutex_lock(&scheduler->lock);
    atomic_store(&worker->woken, 0);
    worker->is_sleeping = true;
    worker->next_sleeping = scheduler->sleeping;
    scheduler->sleeping = worker;
    atomic_fetch_add(&scheduler->sleeping_count, 1);
    pthread_mutex_unlock(&scheduler->lock);
    bool stay = (is_surplus || !scheduler_anything_queued(scheduler)) && !atomic_load(&scheduler->closing);
    while (stay && atomic_load(&worker->woken) == 0)
        scheduler->platform->sleep_on(&worker->woken, 0, 0);
    pthread_mutex_lock(&scheduler->lock);
    if (worker->is_sleeping) {
        Worker **link = &scheduler->sleeping;
        while (*link != worker)
            link = &(*link)->next_sleeping;
        *link = worker->next_sleeping;
        worker->is_sleeping = false;
        atomic_fetch_sub(&scheduler->sleeping_count, 1);
    }
    pthread_mutex_unlock(&scheduler->lock);
}

// Runs what was taken over.
static void worker_help(Worker *worker, Actor *actor)
{
    const Platform *platform = worker->scheduler->platform;
    uint64_t begin_ns = platform->now_ns();
    worker->helps = false;
    worker_shares(worker);
    worker_turn(worker, actor);
    worker->stall_ns = platform->now_ns() - begin_ns >= WORTH_NS ? STALL_SOON_NS : STALL_NS;
}

static void worker_work(Worker *worker)
{
    Scheduler *scheduler = worker->scheduler;
    while (!atomic_load(&scheduler->closing)) {
        Actor *actor = worker_take_own(worker);
        if (actor == NULL) {
            atomic_store(&worker->rests, true);
            bool is_surplus = worker_is_surplus(scheduler);
            if (!is_surplus)
                actor = worker_search(worker);
            if (actor == NULL) {
                worker_sleep(worker, is_surplus);
                continue;
            }
        }
        worker_begins(worker);
        if (worker->helps)
            worker_help(worker, actor);
        else
            worker_turn(worker, actor);
    }
}

static void *worker_main(void *argument);

// A role's function has ended the worker's thread: another one takes over, and begins with the role's failure. This one
// touches nothing of the runtime's afterwards.
static void worker_thread_exits(void *argument)
{
    Worker *worker = argument;
    Scheduler *scheduler = worker->scheduler;
    worker->orphan = thread_exits_in_role(NULL);
    *current() = (Current){.worker = worker};
    pthread_mutex_lock(&scheduler->lock);
    pthread_t exiting = worker->thread;
    bool is_replaced = scheduler->platform->thread_start(&worker->thread, worker_main, worker);
    if (is_replaced)
        pthread_detach(exiting);
    pthread_mutex_unlock(&scheduler->lock);
    // No other thread is to be had: this one has to go on until the runtime is freed.
    if (!is_replaced)
        worker_main(worker);
}

static void *worker_main(void *argument)
{
    Worker *worker = argument;
    ThreadState thread;
    current()->worker = worker;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    atomic_store(&worker->thread_id, worker->scheduler->platform->thread_id());
    pthread_cleanup_push(worker_thread_exits, worker);
    isolation_thread_enter(worker->scheduler->runtime, &thread);
    Actor *orphan = worker->orphan;
    worker->orphan = NULL;
    if (orphan != NULL)
        worker_adopt_orphan(worker, orphan);
    worker_work(worker);
    isolation_thread_leave(&thread);
    pthread_cleanup_pop(0);
    return NULL;
}

void scheduler_init(Scheduler *scheduler, chx_runtime *runtime, unsigned workers)
{
    memset(scheduler, 0, sizeof *scheduler);
    scheduler->runtime = runtime;
    scheduler->platform = runtime->platform;
    scheduler->wanted = workers != 0 ? workers : runtime->platform->cores();
    if (scheduler->wanted > WORKER_LIMIT / 2)
        scheduler->wanted = WORKER_LIMIT / 2;
    pthread_mutex_init(&scheduler->lock, NULL);
    scheduler->has_fence = scheduler->platform->fence_all != NULL && scheduler->platform->can_fence_all();
    atomic_init(&scheduler->quiesced, scheduler->has_fence ? 0 : 1);
    for (uint32_t i = 0; i < GUEST_LIMIT; i++) {
        worker_init(&scheduler->guests[i], scheduler, true);
        scheduler->guests[i].index = i;
    }
}

void scheduler_fini(Scheduler *scheduler)
{
    // Threads are started under the lock: afterwards there are no new ones.
    pthread_mutex_lock(&scheduler->lock);
    atomic_store(&scheduler->closing, true);
    pthread_mutex_unlock(&scheduler->lock);
    watch_fini(scheduler);
    uint32_t count = atomic_load(&scheduler->worker_count);
    for (uint32_t i = 0; i < count; i++) {
        Worker *worker = atomic_load(&scheduler->workers[i]);
        worker_wake(worker);
        scheduler->platform->thread_join(worker->thread);
    }
    // Only now: they look into one another's queues to the last.
    for (uint32_t i = 0; i < count; i++) {
        Worker *worker = atomic_load(&scheduler->workers[i]);
        worker_fini(worker);
        runtime_release(scheduler->runtime, worker);
    }
    for (uint32_t i = 0; i < GUEST_LIMIT; i++)
        worker_fini(&scheduler->guests[i]);
    for (unsigned room = 0; room < GUEST_ROOMS; room++)
        guest_room_free(scheduler, room);
    pthread_mutex_destroy(&scheduler->lock);
}
