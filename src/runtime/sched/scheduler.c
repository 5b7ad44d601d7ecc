// scheduler.c: see scheduler.h.

#include "runtime/sched/scheduler.h"

#include "runtime/session/log.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

#include <string.h>

// ---- workers ----

Worker *worker_new(Scheduler *scheduler, bool is_guest)
{
    Worker *worker = runtime_allocate(scheduler->runtime, sizeof *worker);
    if (worker == NULL)
        return NULL;
    memset(worker, 0, sizeof *worker);
    worker->is_guest = is_guest;
    worker->scheduler = scheduler;
    worker->stall_ns = STALL_NS;
    pthread_mutex_init(&worker->queue.lock, NULL);
    return worker;
}

void worker_free(Worker *worker)
{
    chx_runtime *runtime = worker->scheduler->runtime;
    pages_free(runtime, &worker->pages);
    pthread_mutex_destroy(&worker->queue.lock);
    runtime_release(runtime, worker);
}

// ---- what a worker runs next ----

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

// The scheduler is quiesced. Half of what waits behind the descriptors that the worker serves goes to the other one, and stays there:
// taking them one by one would cost a fence for each.
static void worker_take_half(Worker *worker, Worker *other)
{
    Actor *actor;
    for (uint32_t count = atomic_load(&worker->queue.count) / 2;
         count > 0 && (actor = queue_take(&worker->queue, worker->scheduler->platform, false)) != NULL; count--) {
        session_unpin(actor->session);
        queue_append(&other->queue, actor, actor, 1);
    }
}

Actor *worker_rob(Worker *worker, Worker *robber)
{
    if (!scheduler_worker_has_work(worker) || !scheduler_try_quiesce(worker->scheduler))
        return NULL;
    Actor *actor = atomic_exchange(&worker->next, NULL);
    if (actor == NULL)
        actor = queue_take(&worker->queue, worker->scheduler->platform, false);
    if (actor != NULL)
        session_unpin(actor->session);
    if (atomic_load_explicit(&worker->is_behind, memory_order_relaxed))
        worker_take_half(worker, robber);
    scheduler_resume(worker->scheduler);
    return actor;
}

bool worker_has_queue(Worker *worker)
{
    // A guest serves its own session only, whose actors are never in the scheduler's queue for long.
    return atomic_load_explicit(&worker->queue.count, memory_order_relaxed) != 0 ||
           (!worker->is_guest && atomic_load_explicit(&worker->scheduler->queue.count, memory_order_relaxed) != 0);
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

// At the end of a slice: whoever waits in a queue has a turn before what was to be run next, however often those two wake
// each other. NULL: nobody waits.
static Actor *worker_take_waiting(Worker *worker)
{
    Scheduler *scheduler = worker->scheduler;
    worker_slice_begin(worker);
    if (!worker->is_guest)
        worker_poll(worker, 0);
    if (!worker_has_queue(worker))
        return NULL;
    // A share of what is in no worker's queue. The rest is for others, which may also steal from this queue.
    uint32_t share = (atomic_load(&scheduler->queue.count) + 1) / 2;
    if (!worker->is_guest)
        queue_move(&scheduler->queue, &worker->queue, NULL, share < REFILL_MAX ? share : REFILL_MAX);
    Actor *actor = queue_take(&worker->queue, scheduler->platform, false);
    Actor *next = actor != NULL ? next_take(worker) : NULL;
    if (next != NULL)
        queue_append(&worker->queue, next, next, 1);
    return actor;
}

Actor *worker_take_own(Worker *worker)
{
    Actor *actor = NULL;
    if (atomic_load_explicit(&worker->turn, memory_order_relaxed) >=
        atomic_load_explicit(&worker->slice_end, memory_order_relaxed))
        actor = worker_take_waiting(worker);
    if (actor == NULL)
        actor = next_take(worker);
    return actor != NULL ? actor : queue_take(&worker->queue, worker->scheduler->platform, false);
}

bool scheduler_worker_has_work(Worker *worker)
{
    return atomic_load(&worker->queue.count) != 0 || atomic_load(&worker->next) != NULL;
}

// ---- waking ----

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
uint32_t scheduler_awake_limit(Scheduler *scheduler)
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
    bool is_refused = false;
    if (atomic_load(&scheduler->sleeping_count) != 0)
        for (Worker *worker = atomic_load(&scheduler->pool); worker != NULL; worker = worker->next_worker)
            if (worker_wake(worker))
                return;
    pthread_mutex_lock(&scheduler->lock);
    if (atomic_load(&scheduler->worker_count) < scheduler_awake_limit(scheduler) && !atomic_load(&scheduler->closing))
        is_refused = !worker_start(scheduler);
    pthread_mutex_unlock(&scheduler->lock);
    if (is_refused && !atomic_exchange(&scheduler->is_exhausted, true))
        scheduler_warn(scheduler);
}

bool scheduler_attend(Scheduler *scheduler)
{
    const Worker *worker = current()->worker;
    // A worker of the pool looks before it sleeps.
    if (worker != NULL && !worker->is_guest)
        return true;
    // Either the one that stops looking sees that there is another waiter, or it is seen here that nobody looks.
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load(&scheduler->polling) != NULL)
        return true;
    if (!scheduler_has_worker(scheduler))
        return false;
    for (Worker *other = atomic_load(&scheduler->pool); other != NULL; other = other->next_worker)
        if (worker_wake(other))
            break;
    return true;
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
    queue_append(&scheduler->queue, first, last, count);
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
        queue_append(&worker->queue, displaced, displaced, 1);
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
    if (worker == NULL || worker->scheduler != scheduler ||
        (worker->is_guest && worker->session != actor->session->root)) {
        scheduler_start(scheduler, actor, actor, 1);
    } else if (worker_put_next(worker, actor) && !worker->is_guest && !worker_keeps_up(worker)) {
        scheduler_offer(scheduler);
    }
    here->busy--;
}

bool scheduler_give_back(Actor *actor)
{
    // It is not pinned meanwhile if it is not: an actor that does not wait prevents that.
    Worker *worker = atomic_load_explicit(&actor->session->worker, memory_order_acquire);
    if (worker == NULL || worker == current()->worker)
        return false;
    // Waking it would take longer than what is to be done, as a rule.
    if (atomic_load(&worker->sleeps) != 0 && scheduler_try_quiesce(worker->scheduler)) {
        session_moves(actor->session);
        scheduler_resume(worker->scheduler);
        return false;
    }
    queue_append(&worker->queue, actor, actor, 1);
    worker_wake(worker);
    return true;
}

// ---- handing actors to idle workers ----

Actor *handoff_take(Worker *worker)
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

void worker_share(Worker *worker, Session *session)
{
    if (atomic_load_explicit(&session->apart, memory_order_relaxed) == 0)
        return;
    Actor *next = next_take(worker);
    if (next != NULL && !scheduler_hand_off(worker->scheduler, worker, next))
        worker_put_next(worker, next);
}

// ---- beginning and end ----

void scheduler_init(Scheduler *scheduler, chx_runtime *runtime, unsigned workers)
{
    memset(scheduler, 0, sizeof *scheduler);
    scheduler->runtime = runtime;
    scheduler->platform = runtime->platform;
    scheduler->wanted = workers != 0 ? workers : runtime->platform->cores();
    if (scheduler->wanted > WORKER_LIMIT / 2)
        scheduler->wanted = WORKER_LIMIT / 2;
    pthread_mutex_init(&scheduler->lock, NULL);
    pthread_mutex_init(&scheduler->queue.lock, NULL);
    scheduler->has_fence = scheduler->platform->fence_all != NULL && scheduler->platform->can_fence_all();
    atomic_init(&scheduler->quiesced, scheduler->has_fence ? 0 : 1);
}

void scheduler_fini(Scheduler *scheduler)
{
    // Threads are started under the lock: afterwards there are no new ones.
    pthread_mutex_lock(&scheduler->lock);
    atomic_store(&scheduler->closing, true);
    pthread_mutex_unlock(&scheduler->lock);
    watch_fini(scheduler);
    for (Worker *worker = atomic_load(&scheduler->pool); worker != NULL; worker = worker->next_worker) {
        worker_wake(worker);
        scheduler->platform->thread_join(worker->thread);
    }
    // Only now: they look into one another's queues to the last.
    for (Worker *worker = scheduler_worker_after(scheduler, NULL), *next; worker != NULL; worker = next) {
        next = scheduler_worker_after(scheduler, worker);
        worker_free(worker);
    }
    pthread_mutex_destroy(&scheduler->queue.lock);
    pthread_mutex_destroy(&scheduler->lock);
}
