// quiesce.c: keeps all workers out of their owner sections for a while.

#include "runtime/sched/scheduler.h"

#include "runtime/recovery/broken.h"

void scheduler_lock(const Platform *platform, pthread_mutex_t *lock)
{
    for (int i = 0; i < LOCK_SPIN_ROUNDS; i++) {
        if (pthread_mutex_trylock(lock) == 0)
            return;
        platform->relax();
    }
    pthread_mutex_lock(lock);
}

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

// The lock is held, and given back. Workers are added under it: there are none that don't see this.
static void scheduler_quiesce_locked(Scheduler *scheduler)
{
    const Worker *own = current()->worker;
    bool others_rest = true;
    atomic_fetch_add(&scheduler->quiesced, 1);
    for (Worker *worker = NULL; (worker = scheduler_worker_after(scheduler, worker)) != NULL;) {
        // A worker that is about to hand over asks first whether the scheduler is quiesced and the rollback generation another.
        if (!is_broken(BROKEN_SLICES_SURVIVE))
            atomic_store(&worker->slice_end, 0);
        // One that stops resting says so and has a fence after that, before it runs something.
        others_rest = others_rest && (worker == own || atomic_load(&worker->rests));
    }
    if (!others_rest) {
        scheduler->platform->fence_all();
        for (Worker *worker = NULL; (worker = scheduler_worker_after(scheduler, worker)) != NULL;)
            worker_await_outside(scheduler, worker);
    }
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

bool scheduler_try_quiesce(Scheduler *scheduler)
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
