// guest.c: threads of the program that work for their own session while they wait for it.

#include "runtime/sched/scheduler.h"

#include "runtime/isolation/isolation.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

// Adds a guest, which is claimed already, to the end of the list, of which this link is a part. NULL: there is none to be had.
static Worker *guest_add(Scheduler *scheduler, _Atomic(Worker *) *link)
{
    Worker *guest = NULL;
    pthread_mutex_lock(&scheduler->lock);
    // Inside of roles' functions there is no limit: if threads of the pool had to run what other threads of the pool wait for,
    // these could run out.
    if (scheduler->guest_count < GUEST_LIMIT || current()->actor != NULL)
        guest = worker_new(scheduler, true);
    if (guest != NULL) {
        while (atomic_load(link) != NULL)
            link = &atomic_load(link)->next_worker;
        atomic_store(link, guest);
        scheduler->guest_count++;
    }
    pthread_mutex_unlock(&scheduler->lock);
    return guest;
}

// A place for the calling thread, which is about to wait for the session. NULL: there is none.
static Worker *guest_claim(Scheduler *scheduler, Session *session)
{
    Worker *own = current()->worker, *guest;
    bool is_nested = own != NULL && own->is_guest && own->scheduler == scheduler;
    // Those before its own place are taken by the sessions that this one is inside of, as a rule.
    _Atomic(Worker *) *link = is_nested ? &own->next_worker : &scheduler->guests;
    while ((guest = atomic_load(link)) != NULL &&
           (!atomic_load_explicit(&guest->rests, memory_order_relaxed) || !atomic_exchange(&guest->rests, false)))
        link = &guest->next_worker;
    if (guest == NULL)
        guest = guest_add(scheduler, link);
    if (guest != NULL)
        guest->session = session;
    atomic_thread_fence(memory_order_seq_cst); // as in worker_begins
    return guest;
}

// The thread has nothing more to do for its session, which can't have been freed: that is up to this thread.
static void guest_release(Worker *worker)
{
    Worker *served_by = worker;
    // Another worker may have it by now.
    atomic_compare_exchange_strong(&worker->session->worker, &served_by, NULL);
    atomic_store(&worker->rests, true);
}

// From now on any worker may run the session's actors.
static void guest_unpin(Scheduler *scheduler, Session *session)
{
    scheduler_quiesce(scheduler);
    session_unpin(session);
    scheduler_resume(scheduler);
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
    guest_unpin(scheduler, session);
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
    return session->actor_count > 0 && session->isolated == NULL && session->parts == NULL;
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
    queue_append(&worker->queue, &session->actors[0], &session->actors[count - 1], count);
    guest_serve(worker);
    return true;
}

// Moves those of the session's actors that wait for a worker to run them to this one. False: there are none.
static bool guest_take_over(Scheduler *scheduler, Worker *guest, Session *session)
{
    queue_move(&scheduler->queue, &guest->queue, session, UINT32_MAX);
    // Usually a worker runs what is in its queue, or another one does. Not if they all are inside of functions.
    if (atomic_load(&guest->queue.count) == 0 && atomic_load(&scheduler->is_exhausted)) {
        if (session_is_pinned(session))
            guest_unpin(scheduler, session);
        for (Worker *worker = atomic_load(&scheduler->pool); worker != NULL; worker = worker->next_worker)
            queue_move(&worker->queue, &guest->queue, session, UINT32_MAX);
    }
    return atomic_load(&guest->queue.count) != 0;
}

bool scheduler_help_session(Scheduler *scheduler, Session *session)
{
    bool is_exhausted = atomic_load(&scheduler->is_exhausted);
    if (!scheduler_can_serve(session) || (!is_exhausted && atomic_load(&scheduler->queue.count) == 0))
        return false;
    Worker *worker = guest_claim(scheduler, session);
    if (worker == NULL)
        return false;
    bool helps = guest_take_over(scheduler, worker, session);
    if (helps)
        guest_serve(worker);
    else
        atomic_store(&worker->rests, true);
    return helps;
}
