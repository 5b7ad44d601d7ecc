// actor.c: running an actor, guarding its code, waiting and waking.

#include "runtime/actor/actor.h"

#include "runtime/actor/again.h"
#include "runtime/arms/arms.h"
#include "runtime/actor/observe.h"
#include "runtime/recovery/broken.h"
#include "runtime/recovery/checkpoint.h"
#include "runtime/actor/elsewhere.h"
#include "runtime/durable/durable.h"
#include "runtime/isolation/isolation.h"
#include "runtime/platform/spin_budget.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"
#include "runtime/value/codec.h"
#include "runtime/value/text.h"

#include <string.h>

// Moves the result of the outermost function to where the session keeps it.
static void actor_keep_result(Actor *actor)
{
    const chx_type *type = actor->self.returned->function->result;
    void *slot = session_result(actor->session, actor->index);
    if (type == NULL)
        return;
    if (slot != NULL)
        memcpy(slot, actor->self.returned + 1, type->size);
    else
        chx_value_drop(type, actor->self.returned + 1);
}

// ACTOR_YIELDS: it goes on; ACTOR_WAITS: not yet; ACTOR_STOPPED: the session is being stopped.
static ActorOutcome actor_roll_back(Actor *actor)
{
    // In this order: a session is marked as stopping before the rollback generation rises for that.
    uint32_t generation = atomic_load(actor->self.generation);
    bool goes_on = true;
    if (session_is_stopping(actor->session))
        return ACTOR_STOPPED;
    if (actor->away != NULL)
        goes_on = actor->away->ops->roll_back(actor);
    else
        checkpoint_roll_back(actor, generation);
    if (CHX_UNLIKELY(actor->again != NULL))
        again_recalled(actor);
    return goes_on ? ACTOR_YIELDS : ACTOR_WAITS;
}

static bool actor_generation_changed(Actor *actor)
{
    return atomic_load_explicit(actor->self.generation, memory_order_acquire) != actor->self.generation_seen;
}

static void actor_notify_pending(Actor *actor)
{
    if (actor->self.notify_pending != NULL)
        chx_notify(&actor->self);
}

static void actor_run_hook(Actor *actor, uint32_t site, void (*hook)(void))
{
    if (hook == NULL)
        return;
    // A failure in it is reported at its own line.
    uint32_t before = actor->self.site;
    actor->hook = site;
    actor->self.site = site;
    hook();
    actor->self.site = before;
    actor->hook = 0;
    chx_step_end(&actor->self);
}

// One whose session is decided elsewhere may have to wait for that, and be played again.
static ActorOutcome actor_end(Actor *actor)
{
    Away *away = actor->away;
    if (away == NULL || !away->is_ending) {
        actor_keep_result(actor);
        actor_notify_pending(actor);
        actor_run_hook(actor, CHX_SITE_FINI, actor->role->fini);
    }
    if (CHX_UNLIKELY(away != NULL && away->ops->end != NULL) && !away->ops->end(actor))
        return actor->self.wants != 0 ? ACTOR_WAITS : ACTOR_YIELDS;
    return ACTOR_ENDED;
}

// After a step; with CHX_STEP_RETURN also at the beginning.
static ActorOutcome actor_go_on(Actor *actor, chx_step step)
{
    for (;;) {
        // An actor whose call has returned takes the result first, whatever happens.
        if (step != CHX_STEP_RETURN) {
            if (actor_generation_changed(actor)) {
                ActorOutcome outcome = actor_roll_back(actor);
                if (outcome != ACTOR_YIELDS)
                    return outcome;
            } else if (step == CHX_STEP_WAIT) {
                return actor->self.wants != 0 ? ACTOR_WAITS : ACTOR_YIELDS;
            }
        }
        if (actor->self.top == NULL)
            break;
        step = actor->self.top->function->run(&actor->self, actor->self.top);
    }
    return actor_end(actor);
}

void actor_init(Actor *actor)
{
    actor->begun = true;
    actor_run_hook(actor, CHX_SITE_INIT, actor->role->init);
}

static ActorOutcome actor_steps(Actor *actor)
{
    if (CHX_UNLIKELY(actor->again != NULL))
        again_end(actor);
    if (actor_generation_changed(actor)) {
        ActorOutcome outcome = actor_roll_back(actor);
        if (outcome != ACTOR_YIELDS)
            return outcome;
    }
    if (!actor->begun)
        actor_init(actor);
    actor->budget = actor_is_simulated(actor) ? actor->session->runtime->platform->budget() : TURN_BUDGET;
    return actor_go_on(actor, CHX_STEP_RETURN);
}

// Is the actor's wait one that only `next` can end?
static bool actor_waits_for(const Actor *actor, const Actor *next)
{
    uintptr_t wants = actor->self.wants;
    const Channel *channel = (const Channel *)(wants & ~WANTS_TAGS);
    if ((wants & WANTS_BLOCK) != 0)
        return false;
    return next == ((wants & WANTS_ROOM) != 0 ? channel->consumer : channel->producer);
}

// In an owner section: the actor that can run in this one's place: the one that waits on this worker for what it has sent,
// or that is to be run next here. NULL: there is none, or others must be told something first.
static Actor *actor_successor(Worker *worker, Actor *actor)
{
    Actor *next = atomic_load_explicit(&worker->next, memory_order_relaxed);
    const Channel *notify_pending = (const Channel *)actor->self.notify_pending,
                  *credit_pending = actor->credit_pending;
    if (notify_pending != NULL) {
        Actor *peer = notify_pending->consumer;
        bool is_free = next == NULL || is_broken(BROKEN_HAND_OVER_FORGETS);
        if (next != peer && (!is_free || !worker_keeps(worker, peer, notify_pending)))
            return NULL;
        next = peer;
    } else if (next == NULL || next->session->float_control != actor->session->float_control) {
        return NULL;
    }
    // A producer that has not been told of the room that was made must be the one that runs next: it looks for itself.
    if (credit_pending != NULL && credit_pending->producer != next)
        return NULL;
    // One that has waited for the outside may still be waited for there, and one whose blocks are decided elsewhere may have to begin
    // first: only actor_steps does that.
    if ((next->self.wants & WANTS_TAGS) == WANTS_EVENT || next->away != NULL)
        return NULL;
    // Nothing has changed since the actor looked: what it waits for can only be done by this worker, or by an actor that has
    // been on it all the time.
    if (!session_is_pinned_to(actor->session, worker) && !actor_waits_for(actor, next))
        return NULL;
    if (session_has_arms(actor->session) || session_has_arms(next->session))
        return arms_may_follow(actor, next) ? next : NULL;
    return next;
}

// In an owner section: makes the actor wait. False: the rollback generation has changed, and nothing was done.
static bool actor_wait_inside(Actor *actor)
{
    chx_channel *notify_pending = actor->self.notify_pending;
    // Before it waits: afterwards it may be in another's hand.
    actor->self.notify_pending = NULL;
    atomic_store_explicit(&actor->waits, actor->self.wants & ~WANTS_TAGS, memory_order_release);
    // Whoever raises the generation does it before scheduler_quiesce, which fences, and looks for actors that wait after that.
    atomic_signal_fence(memory_order_seq_cst);
    if (chx_generation_changed(&actor->self) && !is_broken(BROKEN_HAND_OVER_DEAF)) {
        atomic_store_explicit(&actor->waits, 0, memory_order_relaxed);
        actor->self.notify_pending = notify_pending;
        return false;
    }
    return true;
}

// The actor can't go on until another has done something, which can run in its place: makes the actor wait, and that one
// is in hand. NULL: not so, nothing was done.
static __attribute__((noinline)) Actor *actor_hand_over(Worker *worker, Actor *actor)
{
    uint64_t turn = atomic_load_explicit(&worker->turn, memory_order_relaxed);
    if (turn >= atomic_load_explicit(&worker->slice_end, memory_order_relaxed) && worker_slice_is_over(worker))
        return NULL;
    if (!owner_section_begin(worker))
        return NULL;
    Turn *own = session_has_arms(actor->session) ? arms_turn(actor) : NULL, *released = NULL;
    Actor *next = actor_successor(worker, actor);
    if (next != NULL && !actor_wait_inside(actor)) {
        released = session_has_arms(next->session) ? arms_turn(next) : NULL;
        next = NULL;
    }
    if (next != NULL) {
        atomic_store_explicit(&next->waits, 0, memory_order_relaxed);
        atomic_store_explicit(&next->home, worker, memory_order_release);
        atomic_store_explicit(&worker->next, NULL, memory_order_relaxed);
        atomic_store_explicit(&worker->turn, turn + 2, memory_order_relaxed);
        next->budget = TURN_BUDGET;
        released = own;
    }
    owner_section_end(worker);
    if (CHX_UNLIKELY(released != NULL))
        turn_release(released);
    return next;
}

// The same in the usual case: the session was seen to be pinned to this worker, and the other actor waits for what this one
// has sent. Whether the session is still pinned, the scheduler quiesced, or the rollback generation another need not be
// asked: whoever changes one of these sets slice_end to 0, and actor_hand_over asks.
static inline Actor *actor_hand_over_fast(Worker *worker, Actor *actor)
{
    atomic_store_explicit(&worker->in_section, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); // as in owner_section_begin
    const Channel *sent = (const Channel *)actor->self.notify_pending, *taken = actor->credit_pending;
    uint64_t turn = atomic_load_explicit(&worker->turn, memory_order_relaxed);
    Actor *next = NULL;
    if (CHX_UNLIKELY(turn >= atomic_load_explicit(&worker->slice_end, memory_order_acquire) || sent == NULL ||
                     atomic_load_explicit(&worker->next, memory_order_relaxed) != NULL))
        goto end;
    if (CHX_UNLIKELY(atomic_load_explicit(&sent->consumer->waits, memory_order_relaxed) != (uintptr_t)sent ||
                     (taken != NULL && taken->producer != sent->consumer)))
        goto end;
    next = sent->consumer;
    actor->self.notify_pending = NULL;
    atomic_store_explicit(&actor->waits, actor->self.wants & ~WANTS_TAGS, memory_order_release);
    atomic_store_explicit(&next->waits, 0, memory_order_relaxed);
    // For the watch, which looks whether a turn takes long, this is another one.
    atomic_store_explicit(&worker->turn, turn + 2, memory_order_relaxed);
end:
    owner_section_end(worker);
    return next;
}

// Runs an actor that has waited: it begins by asking again for what it waited for, and sees then whether it is to be rolled
// back.
static inline ActorOutcome actor_resume(Actor *actor)
{
    chx_step step = actor->self.top->function->run(&actor->self, actor->self.top);
    return step == CHX_STEP_WAIT && actor->self.wants != 0 ? ACTOR_WAITS : actor_go_on(actor, step);
}

// Is the actor about to wait, or to hand over? Others may do something before it does.
CHX_INLINE bool actor_is_to_wait(Actor *actor, ActorOutcome outcome, bool is_observed)
{
    if (outcome != ACTOR_WAITS)
        return false;
    if (is_observed && actor_is_traced(actor))
        trace_turn(actor, ACTOR_WAITS, NULL);
    if (is_observed)
        actor->session->runtime->platform->waiting();
    return true;
}

// Turns of actors that hand over to one another, from the one that has just had its turn. Compiled twice, as `enter` in
// checkpoint.c.
CHX_INLINE ActorOutcome actor_hand_on(Actor *actor, Worker *worker, ActorOutcome outcome, bool is_observed)
{
    Actor **runs = &current()->actor, *next;
    __asm__("" : "+r"(runs)); // or it would be computed again for every turn
    while (actor_is_to_wait(actor, outcome, is_observed) && (next = actor_hand_over(worker, actor)) != NULL) {
        *runs = actor = next;
        outcome = actor_resume(actor);
        if (!session_is_pinned_to(actor->session, worker))
            continue;
        while (actor_is_to_wait(actor, outcome, is_observed) && (next = actor_hand_over_fast(worker, actor)) != NULL) {
            *runs = actor = next;
            outcome = actor_resume(actor);
        }
    }
    return outcome;
}

// With a trace alone every turn ends here.
static __attribute__((noinline)) ActorOutcome actor_hand_on_observed(Actor *actor, Worker *worker, ActorOutcome outcome)
{
    return actor_is_simulated(actor) ? actor_hand_on(actor, worker, outcome, true) : outcome;
}

// Not inline: beside sigsetjmp nothing would stay in a register.
static __attribute__((noinline)) ActorOutcome actor_chain(Actor *actor, Worker *worker)
{
    if (atomic_load_explicit(&actor->home, memory_order_relaxed) != worker)
        atomic_store_explicit(&actor->home, worker, memory_order_release);
    ActorOutcome outcome = actor_steps(actor);
    if (actor->self.observed != 0)
        return actor_hand_on_observed(actor, worker, outcome);
    return actor_hand_on(actor, worker, outcome, false);
}

// After a turn, of whichever outcome.
static void actor_ran(Guard *guard, ActorOutcome outcome)
{
    actor_notify_pending(guard->actor);
    if (actor_is_traced(guard->actor))
        trace_turn(guard->actor, outcome, &guard->fault);
}

void actor_thread_exited(Actor *actor, Guard *guard)
{
    guard->actor = actor;
    guard->fault = (Fault){.kind = CHX_FAULT_EXIT, .site = actor->self.site};
    strcpy(guard->fault.why, "a function of the role ended its thread (pthread_exit)");
    actor_ran(guard, ACTOR_FAILED);
}

// What guard_run runs: a turn on a worker; or, without one, an actor until its end.
typedef struct {
    Actor *actor;
    Worker *worker;
    void (*await)(Actor *actor);
    ActorOutcome outcome;
} Run;

static void run_chain(void *closure)
{
    Run *run = closure;
    run->outcome = actor_chain(run->actor, run->worker);
}

ActorOutcome actor_run(Actor *actor, Guard *guard, Worker *worker)
{
    Run run = {.actor = actor, .worker = worker, .outcome = ACTOR_FAILED};
    float_use(actor->session->float_control);
    guard_run(guard, actor, run_chain, &run);
    if (run.outcome == ACTOR_FAILED && guard->fault.kind == FAULT_AGAIN && again_begin(guard->actor, guard))
        run.outcome = ACTOR_WAITS;
    actor_ran(guard, run.outcome);
    return run.outcome;
}

static void run_unscheduled(void *closure)
{
    Run *run = closure;
    ActorOutcome outcome;
    while ((outcome = actor_steps(run->actor)) == ACTOR_WAITS || outcome == ACTOR_YIELDS)
        if (outcome == ACTOR_WAITS)
            run->await(run->actor);
    run->outcome = outcome;
}

ActorOutcome actor_run_unscheduled(Actor *actor, Guard *guard, void (*await)(Actor *actor))
{
    Run run = {.actor = actor, .await = await, .outcome = ACTOR_FAILED};
    while (!guard_run(guard, actor, run_unscheduled, &run) && guard->fault.kind == FAULT_AGAIN &&
           again_begin(actor, guard)) {
        float_use(actor->session->float_control);
        await(actor);
    }
    if (actor_is_traced(actor))
        trace_turn(actor, run.outcome, &guard->fault);
    return run.outcome;
}

void actor_begin(Actor *actor, const chx_entry *entry, const void *arguments)
{
    void *frame = chx_call(&actor->self, entry->function);
    if (entry->begin != NULL)
        entry->begin(frame, arguments);
}

SourcePlace actor_site_place(const Actor *actor, uint32_t site)
{
    if (actor->is_central)
        return (SourcePlace){actor->role->file, actor->central_line};
    const chx_site *found = role_site(actor->role, site);
    if (found == NULL)
        return (SourcePlace){actor->role->file, 0};
    return (SourcePlace){found->file != NULL ? found->file : actor->role->file, found->line};
}

int actor_site_line(const Actor *actor, uint32_t site)
{
    return actor_site_place(actor, site).line;
}

const char *actor_site_file(const Actor *actor, uint32_t site)
{
    return actor_site_place(actor, site).file;
}

bool actor_finds(Actor *actor, Channel *channel, bool room)
{
    return room ? channel->ops->room(channel) != 0 : actor_peek(actor, channel) != NULL;
}

// Are all participants at the end of the block, or of the round, at which the role waits?
static bool block_is_over(Block *block, const Position *position)
{
    return atomic_load(&block->done) ||
           (position != NULL && position->block == block && atomic_load(&block->ordinal) != position->ordinal);
}

// Is what the actor wants there?
static bool actor_can_go_on(Actor *actor)
{
    if (actor_generation_changed(actor))
        return true;
    uintptr_t wants = actor->self.wants;
    void *what = (void *)(wants & ~WANTS_TAGS);
    if ((wants & WANTS_TAGS) == WANTS_EVENT)
        return atomic_load(&((Again *)what)->is_ready);
    if ((wants & WANTS_BLOCK) != 0 && actor->away != NULL)
        return actor->away->ops->is_over(actor);
    if ((wants & WANTS_BLOCK) != 0 && what == actor->session->durable)
        return durable_has_changed(actor);
    if ((wants & WANTS_BLOCK) != 0)
        return block_is_over(what, member_innermost(&actor->member));
    return actor_finds(actor, what, (wants & WANTS_ROOM) != 0);
}

// The other end of the channel is likely to answer soon without this worker, which looks for a while if it has nothing
// else to do. True: the actor can go on.
static bool actor_looks(Actor *actor)
{
    chx_runtime *runtime = actor->session->runtime;
    Worker *worker = current()->worker;
    SpinBudget spin_budget = {.limit_ns = runtime->spin_budget_ns};
    if (spin_budget.limit_ns == 0)
        return false;
    do {
        if (actor_can_go_on(actor))
            return true;
    } while (!worker_has_queue(worker) && !scheduler_worker_has_work(worker) &&
             spin_budget_lasts(&spin_budget, runtime->platform));
    return false;
}

// The actor has told another one something, was at a step and is through with it: did that take long?
static void actor_weigh(Actor *actor)
{
    Session *session = actor->session;
    const Notified *notified = &actor->notified;
    const Worker *worker = atomic_load_explicit(&actor->home, memory_order_relaxed);
    uint64_t passed_ns = session->runtime->platform->now_ns() - notified->at_ns;
    actor->is_notified = false;
    // It has failed, or done more than that step, or others have run in its place: then nothing is known.
    if (actor->self.steps - notified->steps > 1 ||
        atomic_load_explicit(&worker->turn, memory_order_relaxed) != notified->turn)
        return;
    uint32_t *place = &actor->long_sites[notified->site % LONG_SITES];
    uint32_t apart = atomic_load_explicit(&session->apart, memory_order_relaxed);
    if (passed_ns >= (session_waits_outside(session) ? WORTH_NS : STALL_NS)) {
        *place = notified->site;
        session_set_apart(session, APART);
    } else {
        if (*place == notified->site)
            *place = 0;
        session_set_apart(session, apart > APART_VAIN ? apart - APART_VAIN : 0);
    }
}

// Until the session goes on, thousands of others may be served: what it touches then should be little. A role with many channels
// does not use all of them, and looking at them would touch more than it saves.
static void actor_rewind_channels(Actor *actor)
{
    enum { FEW = 4 };
    const chx_role *role = actor->role;
    if (actor->session->arm != NULL || role->sends_to_count > FEW || role->receives_from_count > FEW)
        return;
    Channel *out = (Channel *)(void *)actor->self.out;
    Channel **in = (Channel **)actor->self.in;
    for (size_t i = 0; i < role->sends_to_count; i++)
        if (out[i].ops == &memory_channel_ops)
            memory_channel_rewind(&out[i]);
    for (size_t i = 0; i < role->receives_from_count; i++)
        if (in[i]->ops == &memory_channel_ops)
            memory_channel_rewind(in[i]);
}

// A guest goes away when its session has nothing to do, and can't have it to itself meanwhile. A worker of the pool gets the actor
// back, whoever wakes it (again.c).
static void actor_waits_outside(Actor *actor)
{
    Worker *worker = current()->worker;
    if (worker->is_guest && session_is_pinned_to(actor->session, worker))
        session_unpin(actor->session);
    if (worker->fetch.left != 0)
        session_fetch(&worker->fetch);
    if (!owner_section_begin(worker))
        return;
    // In the section nobody else runs an actor of it, so nobody else is at a channel of this one.
    if (session_is_pinned_to(actor->session, worker))
        actor_rewind_channels(actor);
    owner_section_end(worker);
}

// The actor's own thread: is it certain that the peer does not wait for the channel? If the session is pinned to this worker, the peer is
// here, too, and does not begin to wait meanwhile.
CHX_INLINE bool notifying_is_in_vain(const Actor *actor, const Actor *peer, const Channel *channel)
{
    Worker *worker = atomic_load_explicit(&actor->home, memory_order_relaxed);
    // It may be unpinned until the section begins, but nobody else pins it.
    if (!session_is_pinned_to(actor->session, worker) || !owner_section_begin(worker))
        return false;
    bool is_in_vain = session_is_pinned_to(actor->session, worker) &&
                      atomic_load_explicit(&peer->waits, memory_order_relaxed) != (uintptr_t)channel;
    owner_section_end(worker);
    return is_in_vain;
}

// May the actor wait without telling a producer of the room that it has made? Only one that waits for that needs to be told. If the
// session is pinned to this worker, and the producer does not wait for it now, it looks by itself before it ever does, and finds all that
// was taken out by then. (Bytes that projected code has taken out it may not find; these are less than a quarter of what the channel
// holds: memory_take.)
static inline bool actor_may_owe_credit(const Actor *actor)
{
    const Channel *channel = actor->credit_pending;
    return notifying_is_in_vain(actor, channel->producer, channel) && channel->ops == &memory_channel_ops;
}

bool actor_wait(Actor *actor)
{
    uintptr_t what = actor->self.wants & ~WANTS_TAGS;
    uintptr_t preparing = what | WAITS_PREPARING;
    Channel *channel = (actor->self.wants & WANTS_BLOCK) == 0 ? (Channel *)what : NULL;
    if (actor->credit_pending != NULL && !actor_may_owe_credit(actor))
        actor_flush_credit(actor);
    if (actor->is_notified)
        actor_weigh(actor);
    if (channel != NULL && channel->ops->answers_alone && actor_looks(actor))
        return false;
    bool is_outside = (actor->self.wants & WANTS_TAGS) == WANTS_EVENT;
    if (is_outside)
        actor_waits_outside(actor);
    atomic_store(&actor->waits, preparing);
    if (is_outside && !again_arm((Again *)what)) {
        atomic_store(&actor->waits, 0);
        return false;
    }
    if (channel != NULL && channel->ops->announce_wait != NULL)
        channel->ops->announce_wait(channel, (actor->self.wants & WANTS_ROOM) != 0);
    // From here on a sender that finds this word changes it; one that did not is seen by looking again.
    if (actor_can_go_on(actor)) {
        atomic_store(&actor->waits, 0);
        return false;
    }
    return atomic_compare_exchange_strong(&actor->waits, &preparing, what);
}

bool actor_wake(Actor *actor, const void *what)
{
    uintptr_t waits = atomic_load(&actor->waits);
    while (waits != 0 && (what == NULL || (waits & ~WAITS_PREPARING) == (uintptr_t)what)) {
        if (atomic_compare_exchange_weak(&actor->waits, &waits, 0))
            return (waits & WAITS_PREPARING) == 0;
    }
    return false;
}

// The same for an actor that may be on another worker, after this one has changed the channel.
static inline bool actor_wake_elsewhere(Actor *actor, Channel *channel)
{
    _Atomic uint64_t *count = actor == channel->producer ? &channel->head.taken : &channel->head.sent;
    // Sequentially consistent: we look next whether the actor waits; the actor, before it waits, at this count.
    atomic_store(count, atomic_load_explicit(count, memory_order_relaxed));
    return actor_wake(actor, channel);
}

// The peer is not known to wait on the same worker.
static __attribute__((noinline)) void actor_notify_elsewhere(Actor *actor, Actor *peer, Channel *channel)
{
    if (notifying_is_in_vain(actor, peer, channel))
        return;
    current()->busy++;
    if (actor_wake_elsewhere(peer, channel)) {
        Scheduler *scheduler = &actor->session->runtime->scheduler;
        bool moves = atomic_load_explicit(&peer->home, memory_order_relaxed) !=
                     atomic_load_explicit(&actor->home, memory_order_relaxed);
        scheduler_ready(scheduler, peer);
        // The two were at work at the same time, and may be again.
        if (moves && !session_waits_outside(actor->session))
            scheduler_offer(scheduler);
    }
    current()->busy--;
}

void actor_notify(Actor *actor, Actor *peer, Channel *channel)
{
    if (!worker_notify(atomic_load_explicit(&actor->home, memory_order_relaxed), peer, channel))
        actor_notify_elsewhere(actor, peer, channel);
}

// The peer, which waits, is taken out of that and given away. False: it does not wait, or nobody takes it.
static bool actor_hand_off(Actor *actor, Actor *peer, Channel *channel)
{
    Scheduler *scheduler = &actor->session->runtime->scheduler;
    Worker *worker = atomic_load_explicit(&actor->home, memory_order_relaxed);
    current()->busy++;
    bool is_taken = false;
    if (owner_section_begin(worker)) {
        is_taken = worker_keeps(worker, peer, channel);
        if (is_taken)
            atomic_store_explicit(&peer->waits, 0, memory_order_relaxed);
        owner_section_end(worker);
    }
    is_taken = is_taken || actor_wake_elsewhere(peer, channel);
    if (is_taken && scheduler_hand_off(scheduler, worker, peer)) {
        worker_shares(worker);
    } else if (is_taken) {
        scheduler_ready(scheduler, peer);
        scheduler_offer(scheduler);
    }
    current()->busy--;
    return is_taken;
}

void chx_notify_and_begin(chx_self *self)
{
    Actor *actor = (Actor *)self;
    Session *session = actor->session;
    Channel *channel = (Channel *)self->notify_pending;
    uint32_t apart = atomic_load_explicit(&session->apart, memory_order_relaxed);
    bool is_long = false, gives = false;
    self->notify_pending = NULL;
    if (CHX_UNLIKELY(actor->away != NULL)) {
        actor->away->ops->flush(actor);
        return;
    }
    if (apart != 0) {
        if (actor->is_notified)
            actor_weigh(actor);
        const Worker *worker = atomic_load_explicit(&actor->home, memory_order_relaxed);
        actor->is_notified = true;
        actor->notified =
            (Notified){session->runtime->platform->now_ns(), atomic_load_explicit(&worker->turn, memory_order_relaxed),
                       self->steps, self->site};
        apart = atomic_load_explicit(&session->apart, memory_order_relaxed);
        session_set_apart(session, apart > 0 ? apart - 1 : 0);
        is_long = actor->long_sites[self->site % LONG_SITES] == self->site;
        gives = is_long && actor_hand_off(actor, channel->consumer, channel);
    }
    if (!gives)
        actor_notify(actor, channel->consumer, channel);
    // All sleep.
    if (is_long && !gives)
        scheduler_offer(&session->runtime->scheduler);
}

// ---- what a role's functions ask of their actor ----

void *chx_context(void)
{
    Actor *actor = current()->actor;
    return actor != NULL ? actor->context : NULL;
}

size_t chx_role_index(void)
{
    const Actor *actor = current()->actor;
    return actor != NULL ? actor->self.member : 0;
}

const char *chx_role_name(void)
{
    Actor *actor = current()->actor;
    return actor != NULL ? actor->role->role : "";
}

void *chx_alloc(size_t size)
{
    Actor *actor = current()->actor;
    if (actor == NULL)
        return NULL;
    Allocation *allocation = NULL;
    if (size <= SIZE_MAX / 2)
        allocation = runtime_allocate(actor->session->runtime, sizeof *allocation + size);
    if (allocation == NULL)
        guard_no_memory();
    allocation->next = actor->allocations;
    actor->allocations = allocation;
    return memset(allocation->data, 0, size);
}

// False: no memory.
static CHX_COLD bool pool_grow(Actor *actor)
{
    // The first ones lie in the session's own memory, which stays.
    bool is_first = actor->pool_capacity == POOL_FIRST;
    size_t capacity = is_first ? 0 : actor->pool_capacity;
    const struct chx_text **grown =
        runtime_grow(actor->session->runtime, is_first ? NULL : actor->pool, &capacity, sizeof *actor->pool);
    if (grown == NULL)
        return false;
    if (is_first)
        memcpy(grown, actor->pool, POOL_FIRST * sizeof *grown);
    actor->pool = grown;
    actor->pool_capacity = capacity;
    return true;
}

void actor_pool(Actor *actor, const struct chx_text *text)
{
    if (actor->self.pool_size == actor->pool_capacity && !pool_grow(actor)) {
        text_drop(text);
        guard_no_memory();
    }
    actor->pool[actor->self.pool_size++] = text;
}

void chx_release(chx_self *self)
{
    Actor *actor = (Actor *)self;
    while (self->pool_size > 0)
        text_drop(actor->pool[--self->pool_size]);
}
