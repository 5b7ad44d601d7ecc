// watch.c: looks after workers that are inside one turn for long, so that a role that blocks or computes does not keep
// others waiting.
//
// One thread per scheduler, from the first turn on. It looks often after it was of use, less often when it was not, and
// sleeps for good when nothing runs; the next turn wakes it.

#include "runtime/session/runtime.h"

#include <stdbool.h>

typedef struct {
    bool active;     // somebody runs, or did since the last look
    bool is_awaited; // a turn of a few microseconds is long for one of them
    bool pending;    // work waits for a worker that is at something else
    uint32_t blocked;
} Sight;

// Is the worker inside something that sleeps? It has been in this turn since the last look at least.
static bool watch_sees_sleep(Scheduler *scheduler, Worker *worker, uint64_t turn, uint64_t now_ns)
{
    uint64_t passed_ns = now_ns - worker->measured_ns;
    if (worker->measured_turn == turn && passed_ns < SLEEPING_NS)
        return worker->is_blocked;
    uint64_t cpu_ns = scheduler->platform->thread_cpu_ns(atomic_load(&worker->thread_id));
    worker->is_blocked = worker->measured_turn == turn && cpu_ns - worker->measured_cpu_ns < passed_ns / 8 &&
                         scheduler->platform->thread_sleeps(atomic_load(&worker->thread_id));
    worker->measured_turn = turn;
    worker->measured_ns = now_ns;
    worker->measured_cpu_ns = cpu_ns;
    return worker->is_blocked;
}

// The worker, which serves descriptors, has been seen in this turn for a while. Has its thread worked or slept for so long? Else
// others keep it from its processor, and a helper would only be one more of those.
static bool watch_sees_work(Scheduler *scheduler, const Worker *worker, uint64_t limit_ns)
{
    long id = atomic_load(&worker->thread_id);
    return scheduler->platform->thread_cpu_ns(id) - worker->seen_cpu_ns >= limit_ns ||
           scheduler->platform->thread_sleeps(id);
}

// Is the worker that serves descriptors at something else for long?
static bool watch_sees_absence(Scheduler *scheduler, const Worker *worker, uint64_t passed_ns)
{
    return passed_ns >= UNATTENDED_NS && atomic_load(&scheduler->polling) == worker &&
           atomic_load(&scheduler->runtime->poller.count) != 0 && watch_sees_work(scheduler, worker, UNATTENDED_NS);
}

static void watch_worker(Worker *worker, uint64_t now_ns, Sight *sight)
{
    Scheduler *scheduler = worker->scheduler;
    bool serves = atomic_load_explicit(&worker->serves, memory_order_relaxed);
    // A slice is counted in turns, which costs nothing. Where turns are long, it is ended here.
    if (worker_has_queue(worker))
        atomic_store_explicit(&worker->slice_end, 0, memory_order_relaxed);
    uint64_t turn = atomic_load_explicit(&worker->turn, memory_order_relaxed);
    if (turn != worker->seen_turn) {
        worker->seen_turn = turn;
        worker->seen_ns = now_ns;
        if (serves)
            worker->seen_cpu_ns = scheduler->platform->thread_cpu_ns(atomic_load(&worker->thread_id));
        sight->active = true;
        sight->is_awaited |= !serves;
        return;
    }
    if (turn % 2 == 0)
        return;
    sight->active = true;
    sight->is_awaited |= !serves;
    // Whoever has the lock is at work; more threads would only wait behind this one.
    if (atomic_load_explicit(&worker->queues, memory_order_relaxed))
        return;
    uint64_t passed_ns = now_ns - worker->seen_ns;
    if (!worker->is_guest && (passed_ns >= BLOCKED_NS || watch_sees_sleep(scheduler, worker, turn, now_ns)))
        sight->blocked++;
    // A turn that serves a descriptor has system calls in it.
    if (passed_ns >= (serves ? WORTH_NS : STALL_NS) && scheduler_worker_has_work(worker) &&
        (!serves || watch_sees_work(scheduler, worker, WORTH_NS))) {
        atomic_store_explicit(&worker->stalled, turn, memory_order_relaxed);
        sight->pending = true;
    }
    if (watch_sees_absence(scheduler, worker, passed_ns))
        scheduler_stop_polling(scheduler, worker);
}

static Sight watch_look(Scheduler *scheduler)
{
    Sight sight = {0};
    uint64_t now_ns = scheduler->platform->now_ns();
    for (Worker *worker = NULL; (worker = scheduler_worker_after(scheduler, worker)) != NULL;)
        watch_worker(worker, now_ns, &sight);
    if (atomic_load(&scheduler->queue.count) != 0) {
        sight.active = true;
        sight.pending = true;
    }
    // Nobody looks for descriptors, and all that are awake may be at something else.
    if (atomic_load(&scheduler->polling) == NULL && atomic_load(&scheduler->runtime->poller.count) != 0)
        sight.pending = true;
    return sight;
}

// Turns that go on from one look to the next one a few microseconds later are long enough to help with. Those that serve descriptors
// are not: they would have to go on until the next time.
static Sight watch_look_twice(Scheduler *scheduler)
{
    Sight first = watch_look(scheduler);
    if (!first.is_awaited)
        return first;
    uint64_t start_ns = scheduler->platform->now_ns();
    while (scheduler->platform->now_ns() - start_ns <= STALL_NS)
        scheduler->platform->relax();
    Sight second = watch_look(scheduler);
    second.active = true;
    return second;
}

static void watch_sleep(Scheduler *scheduler)
{
    atomic_store(&scheduler->watch, WATCH_SLEEPS);
    // A turn that begins now may not have seen that word. It will be seen in a while: turns don't vanish.
    scheduler->platform->sleep_on(&scheduler->watch, WATCH_SLEEPS, 2 * (uint64_t)WATCH_LAST_NS);
    if (watch_look(scheduler).active || atomic_load(&scheduler->closing)) {
        atomic_store(&scheduler->watch, WATCH_RUNS);
        return;
    }
    while (atomic_load(&scheduler->watch) == WATCH_SLEEPS && !atomic_load(&scheduler->closing))
        scheduler->platform->sleep_on(&scheduler->watch, WATCH_SLEEPS, 0);
}

static void *watch_main(void *argument)
{
    Scheduler *scheduler = argument;
    uint64_t period_ns = WATCH_FIRST_NS;
    unsigned quiet = 0;
    while (!atomic_load(&scheduler->closing)) {
        scheduler->platform->sleep_on(&scheduler->watch, WATCH_RUNS, period_ns);
        Sight sight = watch_look_twice(scheduler);
        atomic_store(&scheduler->blocked, sight.blocked);
        // Where many block, threads are needed by the dozen.
        for (uint32_t helpers = sight.pending ? 1 + sight.blocked / 2 : 0; helpers > 0; helpers--)
            scheduler_help(scheduler);
        period_ns = sight.pending ? WATCH_FIRST_NS : 2 * period_ns;
        uint64_t longest_ns = atomic_load(&scheduler->polling) != NULL ? UNATTENDED_NS : WATCH_LAST_NS;
        if (period_ns > longest_ns)
            period_ns = longest_ns;
        quiet = sight.active ? 0 : quiet + 1;
        if (quiet >= 4) {
            watch_sleep(scheduler);
            period_ns = WATCH_FIRST_NS;
            quiet = 0;
        }
    }
    return NULL;
}

void watch_needed(Scheduler *scheduler)
{
    uint32_t state = atomic_load(&scheduler->watch);
    if (state == WATCH_SLEEPS && atomic_compare_exchange_strong(&scheduler->watch, &state, WATCH_RUNS)) {
        scheduler->platform->wake(&scheduler->watch);
    } else if (state == WATCH_NONE) {
        pthread_mutex_lock(&scheduler->lock);
        if (atomic_load(&scheduler->watch) == WATCH_NONE && !atomic_load(&scheduler->closing)) {
            atomic_store(&scheduler->watch, WATCH_RUNS);
            // Without it everything still runs, except beside a role that blocks; the next turn tries again.
            if (!scheduler->platform->thread_start(&scheduler->watch_thread, watch_main, scheduler))
                atomic_store(&scheduler->watch, WATCH_NONE);
        }
        pthread_mutex_unlock(&scheduler->lock);
    }
}

void watch_fini(Scheduler *scheduler)
{
    if (atomic_load(&scheduler->watch) == WATCH_NONE)
        return;
    atomic_store(&scheduler->watch, WATCH_ENDS);
    scheduler->platform->wake(&scheduler->watch);
    scheduler->platform->thread_join(scheduler->watch_thread);
}
