// worker.c: turns of actors, and the threads of the pool: what they run, where they search for it, when they sleep.

#include "runtime/sched/scheduler.h"

#include "base/check.h"
#include "runtime/actor/again.h"
#include "runtime/arms/arms.h"
#include "runtime/isolation/isolation.h"
#include "runtime/recovery/checkpoint.h"
#include "runtime/session/log.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

// It could go on, or does nothing more: another actor of its role has the turn.
static void worker_turn_ends(Worker *worker, Actor *actor, ActorOutcome outcome, Guard *guard)
{
    Turn *turn = arms_turn(actor);
    Session *root = actor->session->root;
    bool is_kept = session_join(root); // the turn is there until it is given back
    CHECK(is_kept);
    if (outcome == ACTOR_YIELDS)
        queue_append(&worker->queue, actor, actor, 1);
    else
        session_actor_left(actor, outcome, guard);
    turn_release(turn);
    session_leave(root);
}

// The same after any outcome. False: the actor goes on.
static __attribute__((noinline)) bool worker_turn_passes(Worker *worker, Actor *actor, ActorOutcome outcome,
                                                         Guard *guard)
{
    Turn *turn = arms_turn(actor);
    if (outcome == ACTOR_WAITS) {
        bool waits = actor_wait(actor);
        if (waits)
            turn_release(turn);
        return waits;
    }
    if (outcome == ACTOR_FAILED && checkpoint_recover(actor, &guard->fault)) {
        worker_share(worker, actor->session);
        return false;
    }
    worker_turn_ends(worker, actor, outcome, guard);
    return true;
}

void worker_turn(Worker *worker, Actor *actor)
{
    Scheduler *scheduler = worker->scheduler;
    uint64_t turn = atomic_load_explicit(&worker->turn, memory_order_relaxed);
    atomic_store_explicit(&worker->turn, turn + 1, memory_order_relaxed);
    if (atomic_load_explicit(&scheduler->watch, memory_order_relaxed) != WATCH_RUNS)
        watch_needed(scheduler);
    bool serves = session_waits_outside(actor->session);
    if (atomic_load_explicit(&worker->serves, memory_order_relaxed) != serves)
        atomic_store_explicit(&worker->serves, serves, memory_order_relaxed);
    Guard guard;
    bool may_run = !session_has_arms(actor->session) || arms_may_run(actor);
    while (may_run) {
        ActorOutcome outcome = ACTOR_STOPPED;
        if (!session_is_stopping(actor->session)) {
            outcome = actor_run(actor, &guard, worker);
            actor = guard.actor;
        }
        if (session_has_arms(actor->session)) {
            may_run = !worker_turn_passes(worker, actor, outcome, &guard);
            continue;
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
            queue_append(&worker->queue, actor, actor, 1);
        else
            session_actor_left(actor, outcome, &guard);
        break;
    }
    turn = atomic_load_explicit(&worker->turn, memory_order_relaxed);
    atomic_store_explicit(&worker->turn, turn + 1, memory_order_relaxed);
}

void worker_adopt_orphan(Worker *worker, Actor *actor)
{
    Guard guard;
    actor_thread_exited(actor, &guard);
    ActorOutcome outcome = checkpoint_recover(actor, &guard.fault) ? ACTOR_YIELDS : ACTOR_FAILED;
    if (session_has_arms(actor->session))
        worker_turn_ends(worker, actor, outcome, &guard);
    else if (outcome == ACTOR_YIELDS)
        queue_append(&worker->queue, actor, actor, 1);
    else
        session_actor_left(actor, ACTOR_FAILED, &guard);
    uint64_t turn = atomic_load_explicit(&worker->turn, memory_order_relaxed);
    atomic_store_explicit(&worker->turn, turn + 1, memory_order_relaxed);
}

Actor *thread_exits_in_role(const Guard *outer)
{
    const Current *here = current();
    if (here->guard == outer || current_is_busy())
        log_misuse("pthread_exit in a function that the runtime has called and that is not part of a role's step");
    return here->actor;
}

// ---- searching ----

// A worker that was seen in a turn, with work waiting behind it.
typedef struct {
    Worker *worker;
    uint64_t turn;
    uint64_t since_ns;
} Suspect;

static Actor *steal_from(Worker *victim, Worker *worker, Suspect *suspect, uint64_t now_ns)
{
    Actor *actor = NULL;
    bool keeps_up = worker_keeps_up(victim);
    if (!victim->is_guest) {
        actor = handoff_take(victim);
        if (actor == NULL && !keeps_up)
            actor = queue_take(&victim->queue, victim->scheduler->platform, true);
        if (actor == NULL && !keeps_up && atomic_load(&victim->queue.count) >= BACKLOG)
            actor = worker_rob(victim, worker);
    }
    if (actor != NULL)
        return actor;
    uint64_t turn = atomic_load_explicit(&victim->turn, memory_order_relaxed);
    bool has_work = scheduler_worker_has_work(victim);
    if (suspect->worker == victim && (!has_work || suspect->turn != turn || keeps_up))
        suspect->worker = NULL;
    if (!has_work || turn % 2 == 0)
        return NULL;
    // The watch knows whether one that serves descriptors works or is kept from it.
    if (suspect->worker == NULL && !keeps_up)
        *suspect = (Suspect){victim, turn, now_ns};
    if (atomic_load_explicit(&victim->stalled, memory_order_relaxed) != turn &&
        (suspect->worker != victim || now_ns - suspect->since_ns < worker->stall_ns))
        return NULL;
    actor = worker_rob(victim, worker);
    if (actor != NULL) {
        session_set_apart(actor->session, APART);
        worker_shares(victim);
    }
    return actor;
}

static Actor *worker_take(Worker *worker, Suspect *suspect, uint64_t now_ns)
{
    Scheduler *scheduler = worker->scheduler;
    Actor *actor = worker_take_own(worker);
    if (actor == NULL)
        actor = queue_take(&scheduler->queue, scheduler->platform, false);
    for (Worker *victim = NULL; actor == NULL && (victim = scheduler_worker_after(scheduler, victim)) != NULL;) {
        if (victim != worker)
            actor = steal_from(victim, worker, suspect, now_ns);
        if (actor != NULL) {
            worker->helps = true;
        }
    }
    return actor;
}

static bool scheduler_anything_queued(Scheduler *scheduler)
{
    bool is_queued = atomic_load(&scheduler->queue.count) != 0;
    for (Worker *worker = atomic_load(&scheduler->pool); worker != NULL && !is_queued; worker = worker->next_worker)
        is_queued = atomic_load(&worker->queue.count) != 0 && !worker_keeps_up(worker);
    return is_queued;
}

// What it found or was given; if it is both, the one lies in its queue.
static Actor *worker_search_ends(Worker *worker, Actor *found)
{
    uintptr_t handoff = atomic_exchange(&worker->handoff, HANDOFF_NONE);
    if (handoff == HANDOFF_NONE || handoff == HANDOFF_WANTED)
        return found;
    worker->helps = true;
    if (found != NULL)
        queue_append(&worker->queue, found, found, 1);
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
    // What comes from outside is waited for where it comes from.
    bool serves = atomic_load_explicit(&worker->serves, memory_order_relaxed);
    uint64_t limit_ns = serves ? 0 : shares ? SPIN_AFTER_HELP_NS : SPIN_NS;
    Actor *actor = NULL;
    atomic_fetch_add(&scheduler->searching, 1);
    atomic_store(&worker->handoff, HANDOFF_WANTED);
    atomic_store(&scheduler->idle_worker, worker);
    do {
        actor = worker_take(worker, &suspect, now_ns);
        for (int i = 0; i < 16 && actor == NULL && (limit_ns != 0 || suspect.worker != NULL) &&
                        atomic_load_explicit(&worker->handoff, memory_order_relaxed) == HANDOFF_WANTED;
             i++)
            platform->relax();
        if (actor == NULL && !serves) {
            worker_poll(worker, 0);
            actor = worker_take_own(worker);
        }
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

// ---- threads of the pool ----

// Before it runs something. What others have said while it rested is seen from here on.
static void worker_begins(Worker *worker)
{
    if (!atomic_load_explicit(&worker->rests, memory_order_relaxed))
        return;
    atomic_store_explicit(&worker->rests, false, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}

bool worker_wake(Worker *worker)
{
    if (atomic_load(&worker->sleeps) == 0 || atomic_exchange(&worker->sleeps, 0) == 0)
        return false;
    atomic_fetch_sub(&worker->scheduler->sleeping_count, 1);
    worker->scheduler->platform->wake(&worker->sleeps);
    if (atomic_load(&worker->polls))
        poller_wake(&worker->scheduler->runtime->poller);
    return true;
}

// ---- serving descriptors ----

static bool worker_may_poll(Worker *worker)
{
    Worker *nobody = NULL;
    _Atomic(Worker *) *polling = &worker->scheduler->polling;
    return atomic_load_explicit(polling, memory_order_relaxed) == worker ||
           atomic_compare_exchange_strong(polling, &nobody, worker);
}

void scheduler_stop_polling(Scheduler *scheduler, Worker *worker)
{
    atomic_compare_exchange_strong(&scheduler->polling, &worker, NULL);
}

// Has the thread been at work since it last looked for descriptors, and not kept from it by other programs?
static bool worker_took_long(Worker *worker)
{
    uint64_t cpu_ns = worker->scheduler->platform->thread_cpu_ns(atomic_load(&worker->thread_id));
    uint64_t before_ns = worker->backlog.cpu_ns;
    worker->backlog.cpu_ns = cpu_ns;
    return before_ns != 0 && cpu_ns - before_ns >= BEHIND_NS;
}

// It has looked for descriptors, and some were ready or none: was it through with the last ones soon?
static void worker_weigh_backlog(Worker *worker, bool found)
{
    Backlog *backlog = &worker->backlog;
    uint64_t now_ns = atomic_load_explicit(&worker->scheduler->runtime->poller.now_ns, memory_order_relaxed);
    uint64_t passed_ns = now_ns - backlog->polled_ns;
    bool is_behind = false;
    backlog->polled_ns = now_ns;
    if (found && passed_ns >= BEHIND_NS)
        is_behind = worker_took_long(worker);
    else
        backlog->cpu_ns = 0;
    if (is_behind != atomic_load_explicit(&worker->is_behind, memory_order_relaxed))
        atomic_store_explicit(&worker->is_behind, is_behind, memory_order_relaxed);
    if (is_behind)
        scheduler_offer(worker->scheduler);
}

bool worker_poll(Worker *worker, int timeout_ms)
{
    Poller *poller = &worker->scheduler->runtime->poller;
    Woken woken = {0};
    ActorChain chain = {0};
    if (atomic_load_explicit(&poller->count, memory_order_relaxed) == 0 || !worker_may_poll(worker))
        return true;
    current()->busy++;
    bool has_polled = poller_poll(poller, timeout_ms, &woken);
    for (const Actor *actor = woken.actors.first; actor != NULL; actor = actor->next_queued)
        __builtin_prefetch(actor->session);
    // What the others touch is fetched when it is their turn soon (queue_take).
    if (woken.actors.first != NULL)
        session_fetch_begin(woken.actors.first, &worker->fetch);
    for (Actor *actor = woken.actors.first, *next; actor != NULL; actor = next) {
        next = actor->next_queued;
        if (!scheduler_give_back(actor))
            chain_add(&chain, actor);
    }
    if (chain.count > 0)
        queue_append(&worker->queue, chain.first, chain.last, chain.count);
    watchers_run(&woken.watchers);
    if (has_polled)
        worker_weigh_backlog(worker, woken.actors.count > 0);
    current()->busy--;
    return has_polled;
}

// Sleeps where descriptors are waited for, if there are any and this is the worker to do it. False: it has not.
static bool worker_sleep_polling(Worker *worker)
{
    Scheduler *scheduler = worker->scheduler;
    Poller *poller = &scheduler->runtime->poller;
    if (atomic_load(&poller->count) == 0) {
        // Whoever begins to wait for one says so first and looks then for who serves (scheduler_attend).
        scheduler_stop_polling(scheduler, worker);
        if (atomic_load(&poller->count) == 0)
            return false;
    }
    if (!worker_may_poll(worker))
        return false;
    atomic_store(&worker->polls, true);
    // Whoever wakes it looks at `polls` after having said so.
    bool has_polled = atomic_load(&worker->sleeps) == 0 || worker_poll(worker, -1);
    atomic_store(&worker->polls, false);
    if (has_polled)
        return true;
    // The one that was to look before has come back to it in the moment when the watch gave up on it, and waits there: it goes on
    // doing so. When it leaves the poller, it says so first and looks then for who serves.
    scheduler_stop_polling(scheduler, worker);
    return !atomic_load(&poller->is_attended);
}

static void worker_sleep(Worker *worker, bool is_surplus)
{
    Scheduler *scheduler = worker->scheduler;
    atomic_fetch_add(&scheduler->sleeping_count, 1);
    atomic_store(&worker->sleeps, 1);
    bool stay = (is_surplus || !scheduler_anything_queued(scheduler)) && !atomic_load(&scheduler->closing);
    // What a watcher's function has made ready is to be run next here.
    while (stay && atomic_load(&worker->sleeps) != 0 && atomic_load(&worker->queue.count) == 0 &&
           atomic_load_explicit(&worker->next, memory_order_relaxed) == NULL)
        if (!worker_sleep_polling(worker))
            scheduler->platform->sleep_on(&worker->sleeps, 1, 0);
    if (atomic_exchange(&worker->sleeps, 0) != 0)
        atomic_fetch_sub(&scheduler->sleeping_count, 1);
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
            worker_poll(worker, 0);
            actor = worker_take_own(worker);
        }
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

bool worker_start(Scheduler *scheduler)
{
    uint32_t count = atomic_load(&scheduler->worker_count);
    Worker *worker = count < WORKER_LIMIT ? worker_new(scheduler, false) : NULL;
    if (worker == NULL)
        return false;
    if (!scheduler->platform->thread_start(&worker->thread, worker_main, worker)) {
        worker_free(worker);
        return false;
    }
    atomic_store(&worker->next_worker, atomic_load(&scheduler->pool));
    atomic_store(&scheduler->pool, worker);
    atomic_store(&scheduler->worker_count, count + 1);
    return true;
}
