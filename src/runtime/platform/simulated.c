// simulated.c: a machine on which every choice is drawn from a seed: who goes next, for how long, when messages arrive,
// who crashes. Time is virtual. The runtime that runs on it is the production code.
//
// The process has one such machine, since its time is one, and no threads of its own: whoever waits for a session runs
// actors meanwhile. A wait inside a role's function runs that session only; sessions don't depend on one another, so
// this always comes to an end, and C stacks don't grow on one another.

#define _GNU_SOURCE
#include "runtime/platform/platform.h"

#include "runtime/platform/event_loop.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"
#include "runtime/platform/machine.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { INTERRUPTS_MAX = 4 }; // turns inside of turns

typedef struct {
    Actor **data;
    size_t count, capacity;
} ActorList;

// When the messages of a channel arrive: by their number, from `first` on.
typedef struct Arrivals {
    uint64_t first;
    size_t count, capacity;
    uint64_t times_ns[];
} Arrivals;

static struct {
    pthread_once_t once;
    bool wanted;
    SimulationOptions options;

    pthread_mutex_t lock; // of everything that follows
    pthread_cond_t changed;
    uint64_t random[DRAW_COUNT];
    _Atomic uint64_t now_ns;
    uint64_t steps;
    uint64_t reached[SIMULATION_CRASHES_MAX]; // boundaries of that role so far
    ActorList ready;
    ActorList later; // actor->due_ns says when; a heap
    EventLoop *loops;
    unsigned runtimes;
    bool is_driven;      // by this thread
    unsigned interrupts; // turns inside of which others have theirs
    pthread_t driver;
    unsigned waiting; // threads that wait for their session while another one drives
} machine = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static uint64_t draw(Draw stream)
{
    uint64_t x = machine.random[stream] += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t draw_below(Draw stream, uint64_t limit)
{
    return limit != 0 ? draw(stream) % limit : 0;
}

static bool draw_chance(Draw stream, double chance)
{
    return chance > 0 && (double)(draw(stream) >> 11) * 0x1p-53 < chance;
}

static _Noreturn void machine_no_memory(void)
{
    fprintf(stderr, "chorex: simulation: out of memory\n");
    abort();
}

// ---- who is ready ----

static void list_add(ActorList *list, Actor *actor)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 64 : list->capacity * 2;
        Actor **data = realloc(list->data, capacity * sizeof(Actor *));
        if (data == NULL)
            machine_no_memory();
        list->data = data;
        list->capacity = capacity;
    }
    list->data[list->count++] = actor;
}

static void later_swap(size_t i, size_t j)
{
    Actor *actor = machine.later.data[i];
    machine.later.data[i] = machine.later.data[j];
    machine.later.data[j] = actor;
}

static bool later_is_before(size_t i, size_t j)
{
    return machine.later.data[i]->due_ns < machine.later.data[j]->due_ns;
}

static void later_add(Actor *actor)
{
    list_add(&machine.later, actor);
    for (size_t i = machine.later.count - 1; i > 0 && later_is_before(i, (i - 1) / 2); i = (i - 1) / 2)
        later_swap(i, (i - 1) / 2);
}

static Actor *later_take(void)
{
    Actor *actor = machine.later.data[0];
    machine.later.data[0] = machine.later.data[--machine.later.count];
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < machine.later.count; child++)
            if (later_is_before(child, least))
                least = child;
        if (least == i)
            return actor;
        later_swap(i, least);
        i = least;
    }
}

// The lock is held.
static void machine_add(Actor *actor)
{
    if (actor->due_ns > atomic_load(&machine.now_ns))
        later_add(actor);
    else
        list_add(&machine.ready, actor);
}

static void simulated_ready(Actor *actor)
{
    pthread_mutex_lock(&machine.lock);
    machine_add(actor);
    if (machine.waiting != 0 || machine.is_driven)
        pthread_cond_broadcast(&machine.changed);
    pthread_mutex_unlock(&machine.lock);
}

// One of those that are ready, of this session if one is given. NULL: none. The lock is held.
static Actor *machine_take(const Session *session)
{
    ActorList *ready = &machine.ready;
    size_t count = 0, at = 0;
    for (size_t i = 0; session != NULL && i < ready->count; i++)
        count += ready->data[i]->session == session;
    if (session == NULL)
        count = ready->count;
    if (count == 0)
        return NULL;
    uint64_t chosen = draw_below(DRAW_ORDER, count);
    if (session == NULL)
        at = (size_t)chosen;
    else
        while (ready->data[at]->session != session || chosen-- != 0)
            at++;
    Actor *actor = ready->data[at];
    ready->data[at] = ready->data[--ready->count];
    actor->due_ns = 0;
    return actor;
}

// ---- time ----

// When the next timer of an event loop is due, and whose it is. The lock is held.
static uint64_t machine_next_timer(EventLoop **whose)
{
    uint64_t next_ns = UINT64_MAX;
    for (EventLoop *loop = machine.loops; loop != NULL; loop = loop->next_simulated) {
        uint64_t due_ns = event_loop_next_ns(loop);
        if (due_ns < next_ns) {
            next_ns = due_ns;
            *whose = loop;
        }
    }
    return next_ns;
}

// The step takes so long that the next timer is due. The lock is held.
static void machine_skip_to_timer(void)
{
    EventLoop *loop = NULL;
    uint64_t next_ns = machine_next_timer(&loop);
    if (next_ns < UINT64_MAX - 1 && next_ns > atomic_load(&machine.now_ns))
        atomic_store(&machine.now_ns, next_ns);
}

static void machine_run_timers(void)
{
    uint64_t now_ns = atomic_load(&machine.now_ns);
    EventLoop *loop = NULL;
    pthread_mutex_lock(&machine.lock);
    while (machine_next_timer(&loop) <= now_ns) {
        pthread_mutex_unlock(&machine.lock);
        event_loop_run(loop, now_ns);
        pthread_mutex_lock(&machine.lock);
    }
    pthread_mutex_unlock(&machine.lock);
}

// What is due now happens: delayed messages arrive, deadlines fire. The lock is held, and released meanwhile.
static void machine_catch_up(void)
{
    while (machine.later.count != 0 && machine.later.data[0]->due_ns <= atomic_load(&machine.now_ns))
        list_add(&machine.ready, later_take());
    pthread_mutex_unlock(&machine.lock);
    machine_run_timers();
    pthread_mutex_lock(&machine.lock);
}

// Nobody can go on now: goes to the next moment at which something happens. False: there is none. The lock is held.
static bool machine_skip(void)
{
    EventLoop *loop = NULL;
    uint64_t next_ns = machine_next_timer(&loop);
    if (machine.later.count != 0 && machine.later.data[0]->due_ns < next_ns)
        next_ns = machine.later.data[0]->due_ns;
    if (next_ns >= UINT64_MAX - 1)
        return false;
    if (next_ns > atomic_load(&machine.now_ns))
        atomic_store(&machine.now_ns, next_ns);
    return true;
}

// ---- running ----

// All roles wait, and nothing that could change it is on its way.
static void session_is_stuck(Session *session)
{
    Fault fault = {.kind = CHX_FAULT_SYSTEM, .why = "simulation: every role waits, and nothing is on its way"};
    fprintf(stderr, "chorex: %s (seed=%llu)\n", fault.why, (unsigned long long)machine.options.seed);
    if (!session_join(session))
        return;
    session_fail(session, CHX_FAILED, "", &fault, session->plan->choreography->file, 0);
    session_leave(session);
}

// Another thread of the program may have something for this one. False: it had not, for a while. The lock is held.
static bool machine_wait_for_others(const Session *session)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += STUCK_WAIT_S;
    size_t count = machine.ready.count;
    while (machine.ready.count == count && atomic_load(&session->ending.state) != SESSION_DONE)
        if (pthread_cond_timedwait(&machine.changed, &machine.lock, &limit) != 0)
            return false;
    return true;
}

// The lock is held, and released while an actor runs.
static void machine_drive(Session *session, bool is_nested)
{
    while (atomic_load(&session->ending.state) != SESSION_DONE) {
        machine_catch_up();
        Actor *actor = machine_take(is_nested ? session : NULL);
        if (actor != NULL) {
            atomic_fetch_add(&machine.now_ns, STEP_NS);
            pthread_mutex_unlock(&machine.lock);
            scheduler_turn(&actor->session->runtime->scheduler, actor);
            pthread_mutex_lock(&machine.lock);
            if (machine.waiting != 0)
                pthread_cond_broadcast(&machine.changed);
        } else if (!machine_skip() && !machine_wait_for_others(session)) {
            pthread_mutex_unlock(&machine.lock);
            session_is_stuck(session);
            pthread_mutex_lock(&machine.lock);
        }
    }
}

static void simulated_await(Session *session)
{
    pthread_mutex_lock(&machine.lock);
    bool is_nested = machine.is_driven && pthread_equal(machine.driver, pthread_self());
    if (is_nested) {
        machine_drive(session, true);
    } else {
        machine.waiting++;
        while (machine.is_driven && atomic_load(&session->ending.state) != SESSION_DONE)
            pthread_cond_wait(&machine.changed, &machine.lock);
        machine.waiting--;
        if (atomic_load(&session->ending.state) != SESSION_DONE) {
            machine.is_driven = true;
            machine.driver = pthread_self();
            machine_drive(session, false);
            machine.is_driven = false;
            pthread_cond_broadcast(&machine.changed);
        }
    }
    pthread_mutex_unlock(&machine.lock);
}

// ---- the steps of an actor ----

uint32_t machine_budget(Actor *actor)
{
    (void)actor;
    // Mostly short turns; but a role that tells many others needs room in all their channels in one turn.
    static const uint32_t limits[] = {4, 4, 64, TURN_BUDGET};
    pthread_mutex_lock(&machine.lock);
    uint32_t limit = limits[draw_below(DRAW_ORDER, sizeof limits / sizeof limits[0])];
    uint32_t budget = 1 + (uint32_t)draw_below(DRAW_ORDER, limit);
    machine.steps++;
    pthread_mutex_unlock(&machine.lock);
    return budget;
}

// Is this boundary one of those that the settings name? The lock is held.
static bool machine_crashes_at(const Actor *actor)
{
    bool crashes = false;
    for (size_t i = 0; i < machine.options.crash_at_count; i++)
        if (strcmp(machine.options.crash_at[i].role, actor->role->role) == 0)
            crashes |= ++machine.reached[i] == machine.options.crash_at[i].boundary;
    return crashes;
}

static void session_is_endless(Actor *actor)
{
    Fault fault = {.kind = CHX_FAULT_SYSTEM, .site = actor->self.site};
    snprintf(fault.why, sizeof fault.why, "simulation: no end after max_steps=%llu",
             (unsigned long long)machine.options.max_steps);
    // Past all checkpoint blocks: a rescue could go on for ever, too.
    session_fail(actor->session, CHX_FAILED, actor->role->role, &fault, actor->role->file,
                 actor_site_line(actor, fault.site));
}

// Others have their turns in the middle of this one's, as if they ran on another core: what they decide meanwhile, this
// actor learns later. The lock is held, and released meanwhile.
static void machine_interrupt(void)
{
    bool is_driver = machine.is_driven && pthread_equal(machine.driver, pthread_self());
    if (!is_driver || machine.interrupts == INTERRUPTS_MAX || draw_below(DRAW_ORDER, 8) != 0)
        return;
    machine.interrupts++;
    for (uint64_t turns = 1 + draw_below(DRAW_ORDER, 4); turns > 0; turns--) {
        Actor *other = machine_take(NULL);
        if (other == NULL)
            break;
        pthread_mutex_unlock(&machine.lock);
        scheduler_turn(&other->session->runtime->scheduler, other);
        pthread_mutex_lock(&machine.lock);
    }
    machine.interrupts--;
}

bool machine_is_slow(void)
{
    pthread_mutex_lock(&machine.lock);
    bool is_slow = draw_chance(DRAW_SLOW, machine.options.slow);
    pthread_mutex_unlock(&machine.lock);
    return is_slow;
}

void machine_step(Actor *actor)
{
    const SimulationOptions *options = &machine.options;
    pthread_mutex_lock(&machine.lock);
    // Under the lock: others only read it.
    atomic_store_explicit(&machine.now_ns, atomic_load_explicit(&machine.now_ns, memory_order_relaxed) + STEP_NS,
                          memory_order_relaxed);
    bool crashes = options->crash_at_count != 0 && machine_crashes_at(actor);
    crashes |= draw_chance(DRAW_CRASH, options->crash);
    bool is_endless = ++machine.steps > options->max_steps && options->max_steps != 0;
    pthread_mutex_unlock(&machine.lock);
    if (is_endless)
        session_is_endless(actor);
    else if (crashes)
        guard_raise(CHX_FAULT_SIGNAL, SIGKILL, actor->self.site, "simulated crash");
}

static void simulated_boundary(Actor *actor)
{
    pthread_mutex_lock(&machine.lock);
    machine_interrupt();
    if (draw_chance(DRAW_SLOW, machine.options.slow))
        machine_skip_to_timer();
    pthread_mutex_unlock(&machine.lock);
    machine_step(actor);
}

// ---- delays ----

static Arrivals *arrivals_make_room(Channel *channel)
{
    Arrivals *arrivals = channel->arrivals;
    if (arrivals != NULL && arrivals->count < arrivals->capacity)
        return arrivals;
    uint64_t first = atomic_load_explicit(&channel->head.taken, memory_order_relaxed);
    if (arrivals != NULL && first > arrivals->first) {
        size_t gone = (size_t)(first - arrivals->first);
        arrivals->count -= gone;
        arrivals->first = first;
        memmove(arrivals->times_ns, arrivals->times_ns + gone, arrivals->count * sizeof(uint64_t));
        if (arrivals->count <= arrivals->capacity / 2)
            return arrivals;
    }
    size_t capacity = arrivals != NULL ? arrivals->capacity * 2 : 16;
    Arrivals *grown = realloc(arrivals, sizeof *grown + capacity * sizeof(uint64_t));
    if (grown == NULL)
        machine_no_memory();
    if (arrivals == NULL)
        *grown = (Arrivals){.first = atomic_load_explicit(&channel->head.sent, memory_order_relaxed) - 1};
    grown->capacity = capacity;
    channel->arrivals = grown;
    return grown;
}

static void simulated_sent(Channel *channel)
{
    const SimulationOptions *options = &machine.options;
    if (options->delay_max_ns == 0)
        return;
    pthread_mutex_lock(&machine.lock);
    uint64_t range_ns = options->delay_max_ns - options->delay_min_ns + 1;
    uint64_t time_ns = atomic_load(&machine.now_ns) + options->delay_min_ns + draw_below(DRAW_DELAY, range_ns);
    Arrivals *arrivals = arrivals_make_room(channel);
    // A channel keeps the order.
    if (arrivals->count != 0 && time_ns < arrivals->times_ns[arrivals->count - 1])
        time_ns = arrivals->times_ns[arrivals->count - 1];
    arrivals->times_ns[arrivals->count++] = time_ns;
    pthread_mutex_unlock(&machine.lock);
}

static bool simulated_arrived(Actor *actor, Channel *channel)
{
    const Arrivals *arrivals = channel->arrivals;
    if (arrivals == NULL)
        return true;
    uint64_t number = atomic_load_explicit(&channel->head.taken, memory_order_relaxed);
    actor->due_ns = arrivals->times_ns[number - arrivals->first];
    return actor->due_ns <= atomic_load(&machine.now_ns);
}

static void simulated_channel_gone(Channel *channel)
{
    free(channel->arrivals);
    channel->arrivals = NULL;
}

// ---- the machine ----

void machine_add_runtime(chx_runtime *runtime)
{
    (void)runtime;
    pthread_mutex_lock(&machine.lock);
    machine.runtimes++;
    pthread_mutex_unlock(&machine.lock);
}

bool machine_remove_runtime(chx_runtime *runtime)
{
    (void)runtime;
    pthread_mutex_lock(&machine.lock);
    bool is_last = --machine.runtimes == 0;
    pthread_mutex_unlock(&machine.lock);
    return is_last;
}

static void simulated_leave(chx_runtime *runtime)
{
    if (!machine_remove_runtime(runtime))
        return;
    pthread_mutex_lock(&machine.lock);
    free(machine.ready.data);
    free(machine.later.data);
    machine.ready = machine.later = (ActorList){0};
    pthread_mutex_unlock(&machine.lock);
}

static void machine_add_loop(EventLoop *loop)
{
    pthread_mutex_lock(&machine.lock);
    loop->next_simulated = machine.loops;
    machine.loops = loop;
    pthread_mutex_unlock(&machine.lock);
}

static void machine_remove_loop(EventLoop *loop)
{
    pthread_mutex_lock(&machine.lock);
    EventLoop **link = &machine.loops;
    while (*link != loop)
        link = &(*link)->next_simulated;
    *link = loop->next_simulated;
    pthread_mutex_unlock(&machine.lock);
}

const SimulationOptions *machine_options(void)
{
    return &machine.options;
}

uint64_t machine_now_ns(void)
{
    return atomic_load(&machine.now_ns);
}

void machine_advance_to(uint64_t time_ns)
{
    pthread_mutex_lock(&machine.lock);
    if (time_ns > atomic_load(&machine.now_ns))
        atomic_store(&machine.now_ns, time_ns);
    pthread_mutex_unlock(&machine.lock);
}

uint64_t machine_draw(Draw stream, uint64_t limit)
{
    pthread_mutex_lock(&machine.lock);
    uint64_t drawn = draw_below(stream, limit);
    pthread_mutex_unlock(&machine.lock);
    return drawn;
}

void machine_random(void *data, size_t size)
{
    pthread_mutex_lock(&machine.lock);
    for (unsigned char *byte = data; size > 0; byte++, size--)
        *byte = (unsigned char)(draw(DRAW_TOKEN) >> 56);
    pthread_mutex_unlock(&machine.lock);
}

static unsigned simulated_cores(void)
{
    return 1;
}

static bool simulated_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    (void)thread;
    (void)run;
    (void)argument;
    return false;
}

static void simulated_thread_join(pthread_t thread)
{
    (void)thread;
}

// Nobody sleeps here: `await` is what waits.
static void simulated_sleep_on(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns)
{
    (void)word;
    (void)expected;
    (void)timeout_ns;
}

static void simulated_wake(_Atomic uint32_t *word)
{
    (void)word;
}

static void simulated_relax(void)
{
}

// The only thread has done everything that it did, in order.
static bool simulated_can_fence_all(void)
{
    return true;
}

static void simulated_fence_all(void)
{
}

const Platform platform_simulated = {
    .now_ns = machine_now_ns,
    .random = machine_random,
    .cores = simulated_cores,
    .thread_start = simulated_thread_start,
    .thread_join = simulated_thread_join,
    .sleep_on = simulated_sleep_on,
    .wake = simulated_wake,
    .relax = simulated_relax,
    .can_fence_all = simulated_can_fence_all,
    .fence_all = simulated_fence_all,
    .join = machine_add_runtime,
    .leave = simulated_leave,
    .loop_join = machine_add_loop,
    .loop_leave = machine_remove_loop,
    .ready = simulated_ready,
    .await = simulated_await,
    .budget = machine_budget,
    .boundary = simulated_boundary,
    .sent = simulated_sent,
    .arrived = simulated_arrived,
    .channel_gone = simulated_channel_gone,
};

static void machine_read_settings(void)
{
    const char *text = secure_getenv("CHOREX_SIM");
    char why[512];
    if (text == NULL || text[0] == '\0')
        return;
    if (!simulation_parse(text, &machine.options, why, sizeof why)) {
        fprintf(stderr, "chorex: CHOREX_SIM: %s\n", why);
        exit(2);
    }
    machine.wanted = true;
    for (int i = 0; i < DRAW_COUNT; i++)
        machine.random[i] = (machine.options.seed + 1) * 0xd6e8feb86659fd93u + (uint64_t)i * 0xa0761d6478bd642fu;
}

const Platform *platform_from_env(void)
{
    pthread_once(&machine.once, machine_read_settings);
    if (!machine.wanted)
        return &platform_posix;
    return machine.options.threads != 0 ? &platform_simulated_threads : &platform_simulated;
}
