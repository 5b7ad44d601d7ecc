// again.c: see again.h.

#include "runtime/actor/again.h"
#include "runtime/actor/elsewhere.h"

#include "runtime/isolation/isolation.h"
#include "runtime/value/codec.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Of the lists of those who wait for a session's end, and of the descriptors for roles that are called back. It is rarely
// needed, and outlives every session.
static pthread_mutex_t over_lock = PTHREAD_MUTEX_INITIALIZER;

enum { NO_THREAD = EAGAIN }; // as an error: nobody could look at what is waited for

// ---- inside of a role's function ----

static Actor *again_actor(const char *function)
{
    Actor *actor = current()->actor;
    if (actor != NULL)
        return actor;
    fprintf(stderr, "chorex: %s outside of a role\n", function);
    abort();
}

static Again *again_new(Actor *actor)
{
    Again *again = runtime_allocate(actor->session->runtime, sizeof *again);
    if (again == NULL)
        guard_no_memory();
    *again = (Again){.waiter = {.near = &actor->waits}, .actor = actor, .recall = {NO_DESCRIPTOR, NO_DESCRIPTOR}};
    atomic_store(&actor->again, again);
    atomic_store_explicit(&actor->session->waits_outside, true, memory_order_relaxed);
    return again;
}

static Again *again_get(Actor *actor)
{
    Again *again = atomic_load_explicit(&actor->again, memory_order_relaxed);
    return again != NULL ? again : again_new(actor);
}

// The step is about to end, and waits for something of this kind. The caller says for what, and ends it.
static Again *again_prepare(const char *function, AgainKind kind)
{
    Actor *actor = again_actor(function);
    if (actor->is_central)
        guard_raise(CHX_FAULT_FAIL, 0, actor->self.site, "%s: a sequential program can't wait for the outside",
                    function);
    if (actor->hook != 0 || current()->unpooled != 0)
        guard_raise(CHX_FAULT_FAIL, 0, actor->self.site, "%s: only a step can be begun again, not %s", function,
                    actor->hook != 0 ? "init or fini" : "a codec's function");
    Again *again = again_get(actor);
    again->kind = kind;
    again->error = 0;
    again->is_woken = false;
    atomic_store_explicit(&again->is_ready, false, memory_order_relaxed);
    return again;
}

static CHX_NORETURN void again_leave(const Again *again)
{
    Guard *guard = current()->guard;
    guard->fault.kind = FAULT_AGAIN;
    guard->fault.site = again->actor->self.site;
    siglongjmp(guard->jump, 1);
}

void chx_again_when(int fd, short events)
{
    Again *again = again_prepare("chx_again_when", AGAIN_WHEN);
    again->number = fd;
    again->events = events;
    again_leave(again);
}

void chx_again_after(uint64_t ns)
{
    Again *again = again_prepare("chx_again_after", AGAIN_AFTER);
    uint64_t now_ns = again->actor->session->runtime->platform->now_ns();
    again->due_ns = ns < UINT64_MAX - 1 - now_ns ? now_ns + ns : UINT64_MAX - 1;
    again_leave(again);
}

void chx_again_when_over(chx_session *session)
{
    if (session == NULL)
        guard_raise(CHX_FAULT_FAIL, 0, again_actor("chx_again_when_over")->self.site,
                    "chx_again_when_over: no session");
    Again *again = again_prepare("chx_again_when_over", AGAIN_WHEN_OVER);
    again->session = session;
    again_leave(again);
}

// ---- beginning a step again ----

// What the step held for a moment, which nobody will take now.
static void held_drop(void *closure)
{
    chx_frame *frame = closure;
    const chx_function *function = frame->function;
    for (size_t i = 0; i < function->owned_count; i++) {
        const chx_variable *variable = &function->variables[i];
        if (variable->name[0] == '\0') {
            void *value = (char *)frame + variable->offset;
            chx_value_drop(variable->type, value);
            memset(value, 0, variable->type->size);
        }
    }
}

// Is there anything of that? Most functions have no such variables.
static bool holds_something(const chx_function *function)
{
    for (size_t i = 0; i < function->owned_count; i++)
        if (function->variables[i].name[0] == '\0')
            return true;
    return false;
}

bool again_begin(Actor *actor, Guard *guard)
{
    // A step that has waited is likely to be the next one that does.
    Again *again = actor->again;
    if (again->site == NULL || again->site->number != actor->self.site)
        again->site = role_site(actor->role, actor->self.site);
    const chx_site *site = again->site;
    Guard dropping;
    if (site == NULL || site->restart_at == 0) {
        guard->fault.kind = CHX_FAULT_FAIL;
        strcpy(guard->fault.why,
               "it can't wait here (chx_again_when): the statement does something before or after this "
               "step; let the step be a statement of its own");
        return false;
    }
    chx_release(&actor->self);
    chx_frame *frame = actor->self.top;
    // Arguments of a call are computed when the callee has a frame already.
    if (site->kind == CHX_SITE_CALL && frame->at != site->restart_at)
        frame = frame->caller;
    stack_unwind_to(actor, frame, true);
    if (holds_something(frame->function) && !guard_run(&dropping, actor, held_drop, frame)) {
        guard->fault = dropping.fault;
        return false;
    }
    frame->at = site->restart_at;
    if (site->counter != 0)
        actor->self.counts[site->counter - 1].count--; // it is the same step
    actor->self.wants = (uintptr_t)actor->again | WANTS_EVENT;
    return true;
}

// ---- waiting ----

static void again_wake(Again *again)
{
    atomic_store(&again->is_ready, true);
    Actor *actor = again->actor;
    if (actor_wake(actor, again) && !scheduler_give_back(actor))
        scheduler_ready(&actor->session->runtime->scheduler, actor);
}

static Again *again_of_timer(LoopTimer *timer)
{
    return (Again *)(void *)((char *)timer - offsetof(Again, timer));
}

static bool timer_claim(LoopTimer *timer)
{
    return session_join(again_of_timer(timer)->actor->session);
}

static void timer_run(LoopTimer *timer, uint64_t now_ns)
{
    (void)now_ns;
    Again *again = again_of_timer(timer);
    Session *session = again->actor->session;
    again_wake(again);
    session_leave(session);
}

static const LoopTimerKind timer_kind = {timer_claim, timer_run};

// True: the session was not over.
static bool over_arm(Again *again)
{
    SessionEnding *ending = &again->session->ending;
    pthread_mutex_lock(&over_lock);
    pthread_mutex_lock(&ending->lock);
    bool is_over = ending->is_over;
    if (!is_over) {
        again->next = ending->awaited_by;
        ending->awaited_by = again;
    }
    pthread_mutex_unlock(&ending->lock);
    pthread_mutex_unlock(&over_lock);
    return !is_over;
}

static void over_disarm(Again *again)
{
    pthread_mutex_lock(&over_lock);
    // As long as this one is on its list the session can't go away.
    if (!atomic_load(&again->is_ready)) {
        pthread_mutex_lock(&again->session->ending.lock);
        Again **link = &again->session->ending.awaited_by;
        while (*link != again)
            link = &(*link)->next;
        *link = again->next;
        pthread_mutex_unlock(&again->session->ending.lock);
    }
    pthread_mutex_unlock(&over_lock);
}

void again_session_over(Session *session)
{
    SessionEnding *ending = &session->ending;
    pthread_mutex_lock(&over_lock);
    pthread_mutex_lock(&ending->lock);
    Again *again = ending->awaited_by;
    ending->awaited_by = NULL;
    pthread_mutex_unlock(&ending->lock);
    for (Again *next; again != NULL; again = next) {
        next = again->next;
        again_wake(again);
    }
    pthread_mutex_unlock(&over_lock);
}

// The actor joins those that were woken.
static void again_ready(PollWaiter *waiter, void *context)
{
    Again *again = (Again *)(void *)((char *)waiter - offsetof(Again, waiter));
    Woken *woken = context;
    // The poller's lock is held, and the actor had it when it was about to wait already: one that does not see this finds that it
    // was woken before it could wait (actor_wait).
    atomic_store_explicit(&again->is_ready, true, memory_order_release);
    if (!actor_wake(again->actor, again))
        return;
    again->is_woken = true;
    chain_add(&woken->actors, again->actor);
}

// The descriptor may become ready at once.
static bool when_arm(Again *again)
{
    chx_runtime *runtime = again->actor->session->runtime;
    again->waiter.ready = again_ready;
    switch (poller_add(&runtime->poller, &again->waiter, again->number, again->events)) {
    case POLL_WAITS:
        if (scheduler_attend(&runtime->scheduler))
            return true;
        poller_remove(&runtime->poller, &again->waiter);
        again->error = NO_THREAD;
        break;
    case POLL_READY:
        return false;
    case POLL_REFUSED:
        again->error = errno;
        break;
    }
    return false;
}

bool again_arm(Again *again)
{
    chx_runtime *runtime = again->actor->session->runtime;
    switch (again->kind) {
    case AGAIN_NONE:
        break;
    case AGAIN_WHEN:
        again->is_armed = when_arm(again);
        break;
    case AGAIN_AFTER:
        again->is_armed = event_loop_add(&runtime->loop, &again->timer, &timer_kind, again->due_ns);
        again->error = again->is_armed ? 0 : NO_THREAD;
        break;
    case AGAIN_WHEN_OVER:
        again->is_armed = over_arm(again);
        break;
    }
    return again->is_armed && !atomic_load(&again->is_ready);
}

void again_cancel(Actor *actor)
{
    Again *again = actor->again;
    chx_runtime *runtime = actor->session->runtime;
    // The poller that has woken the actor is through with it.
    if (again->is_armed && again->kind == AGAIN_WHEN && !again->is_woken)
        poller_remove(&runtime->poller, &again->waiter);
    // If it is under way, it finds that the actor does not wait for it, or wakes it for nothing.
    if (again->is_armed && again->kind == AGAIN_AFTER)
        event_loop_detach(&runtime->loop, &again->timer);
    if (again->is_armed && again->kind == AGAIN_WHEN_OVER)
        over_disarm(again);
    again->is_armed = false;
    again->kind = AGAIN_NONE;
}

static const char *again_lacks(int error)
{
    if (error == NO_THREAD)
        return "no thread could be started: out of memory, or too many threads";
    // What the system calls it speaks of a device.
    if (error == ENOSPC)
        return "too many descriptors are waited for (/proc/sys/fs/epoll/max_user_watches)";
    return strerror(error);
}

void again_end(Actor *actor)
{
    static const char *const functions[] = {
        [AGAIN_WHEN] = "chx_again_when", [AGAIN_AFTER] = "chx_again_after", [AGAIN_WHEN_OVER] = "chx_again_when_over"};
    Again *again = actor->again;
    AgainKind kind = again->kind;
    int error = again->error;
    Worker *worker = current()->worker;
    if (worker != NULL && worker->fetch.left != 0)
        session_fetch(&worker->fetch);
    again->error = 0;
    if (kind == AGAIN_NONE)
        return;
    again_cancel(actor);
    if (error == 0)
        return;
    char why[192];
    if (kind == AGAIN_WHEN)
        snprintf(why, sizeof why, "%s: descriptor %d: %s", functions[kind], again->number, again_lacks(error));
    else
        snprintf(why, sizeof why, "%s: %s", functions[kind], again_lacks(error));
    guard_raise(CHX_FAULT_FAIL, 0, actor->self.site, "%s", why);
}

void again_fini(Actor *actor)
{
    Again *again = actor->again;
    descriptor_close(&again->recall[0]);
    descriptor_close(&again->recall[1]);
    runtime_release(actor->session->runtime, again);
    actor->again = NULL;
}

// ---- functions that wait by themselves ----

void again_recall(Actor *actor)
{
    static const char ring;
    Again *again = atomic_load(&actor->again);
    if (again == NULL)
        return;
    pthread_mutex_lock(&over_lock);
    int number = descriptor_use(&again->recall[1]);
    // A pipe that is full can be read as well.
    while (number >= 0 && write(number, &ring, 1) < 0 && errno == EINTR)
        ;
    pthread_mutex_unlock(&over_lock);
}

void again_recalled(Actor *actor)
{
    char rings[64];
    Again *again = actor->again;
    while (again->recall[0].number >= 0 && descriptor_read(&again->recall[0], rings, sizeof rings) > 0)
        ;
}

int chx_recall_fd(void)
{
    Actor *actor = again_actor("chx_recall_fd");
    if (actor_is_process(actor))
        return process_recall_fd(actor);
    Again *again = again_get(actor);
    pthread_mutex_lock(&over_lock);
    bool is_open = descriptor_open_pipe(again->recall);
    int error = errno;
    pthread_mutex_unlock(&over_lock);
    errno = error;
    if (!is_open)
        return -1;
    // Whoever calls the role back does that first and looks for the descriptor then.
    if (chx_generation_changed(&actor->self) || session_is_stopping(actor->session))
        again_recall(actor);
    return again->recall[0].number;
}
