// simulated_threads.c: the threads of the simulated machine, on which the scheduler runs as it does on a real one: workers,
// guests, the watch, the event loop, owner sections, pinned sessions, handing over, stealing.
//
// A simulated thread is a real one that goes on only while it is the one that runs; the others stand still. It lets another
// one run, which the seed chooses, when it sleeps, spins, or is at a boundary of a role's steps. At none of these places a
// thread holds a lock, or is in an owner section, so nobody waits for one that stands still. Time is virtual; when all
// sleep it goes to the next moment at which somebody wakes up. A thread that waits for descriptors can run when one of them
// is ready, which is asked whenever somebody is to be chosen.
//
// Threads of the program's own (visitors) belong to the machine during their calls. Outside of them they run as they like;
// while no visitor is in a call, the machine stands still.

#define _GNU_SOURCE
#include "runtime/platform/machine.h"

#include "base/check.h"
#include "runtime/actor/actor.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    STUCK_WAIT_S = 2,      // real time in which another thread of the program's could still change something
    STUCK_LOOK_MS = 10,    // and between two looks for that
    RELAX_NS = 2000,       // of virtual time, for each round of a loop that spins
    RELAX_SWITCHES = 4,    // one in so many of them lets others run
    BOUNDARY_SWITCHES = 3, // the same for boundaries
    SWITCHES_RARER = 200,  // after each so many, others become rarer: long runs have enough of them
    SKIPS_MAX = 10000,     // so often all slept for a limited time, and nobody was woken: nothing will change any more
    CORES_MAX = 3,         // that a seed gives
};

#define STOP_MAX_NS UINT64_C(15000000000) // of virtual time, for a process that stands still

typedef struct SimulatedThread SimulatedThread;
struct SimulatedThread {
    SimulatedThread *next; // in the order in which they came
    pthread_t thread;
    sem_t goes_on;
    void *(*run)(void *);
    void *argument;
    long id;
    bool is_visitor;
    unsigned calls; // visitor: that it is in
    bool has_ended;
    bool sleeps;                 // until it is woken, until the time, or until a descriptor is ready
    const void *sleeps_on;       // the word that it is woken with; NULL: none
    uint64_t until_ns;           // of a sleep
    uint64_t (*due_ns)(void);    // the machine's own: gives that
    const struct pollfd *polled; // of a sleep: descriptors that are looked at
    size_t polled_count;
    const _Atomic uint32_t *shared; // of a sleep: the word, in memory that processes share
    bool can_run;                   // threads_count_ready has found this
    SimulatedProcess *process;      // that it belongs to; NULL: the program itself
    bool is_killed;                 // it does nothing any more
    bool is_detached;               // nobody joins it
    Guard end;                      // where it goes when it is killed
};

static struct {
    pthread_mutex_t lock; // of everything that follows
    pthread_cond_t changed;
    SimulatedThread *first;
    _Atomic(SimulatedThread *) running; // NULL: all stand still
    SimulatedThread *own;               // the machine's
    unsigned visitors;                  // in a call
    long ids;
    uint64_t switches;      // from one thread to another, so far; of the one that runs
    _Atomic unsigned skips; // so often in a row all slept for a limited time
    _Atomic bool is_stuck;
    bool knows_exits;
    pthread_key_t exits; // of visitors
} threads = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static _Thread_local SimulatedThread *this_simulated;

// ---- who runs ----

// Is it the calling thread? Not a visitor outside of its calls.
static bool thread_runs(void)
{
    return this_simulated != NULL && atomic_load(&threads.running) == this_simulated;
}

// Is one of the descriptors ready that the thread waits for? Nothing is written there: others may look, too. The lock is held.
static bool thread_finds_ready(const SimulatedThread *thread)
{
    for (size_t i = 0; i < thread->polled_count; i++) {
        struct pollfd polled = thread->polled[i];
        if (polled.fd >= 0 && poll(&polled, 1, 0) > 0)
            return true;
    }
    return false;
}

// The lock is held.
static bool thread_can_run(SimulatedThread *thread)
{
    if (thread->has_ended || (thread->is_visitor && thread->calls == 0))
        return false;
    if (thread->due_ns != NULL)
        thread->until_ns = thread->due_ns();
    return !thread->sleeps || thread->is_killed || thread->until_ns <= machine_now_ns() || thread_finds_ready(thread) ||
           (thread->is_visitor && atomic_load(&threads.is_stuck));
}

// How many can run. The lock is held.
static uint64_t threads_count_ready(void)
{
    uint64_t count = 0;
    for (SimulatedThread *thread = threads.first; thread != NULL; thread = thread->next) {
        thread->can_run = thread_can_run(thread);
        count += thread->can_run;
    }
    return count;
}

// The next moment at which somebody wakes up; UINT64_MAX: nobody will. The lock is held.
static uint64_t threads_next_ns(void)
{
    uint64_t next_ns = UINT64_MAX;
    for (const SimulatedThread *thread = threads.first; thread != NULL; thread = thread->next)
        if (!thread->has_ended && thread->sleeps && thread->until_ns < next_ns)
            next_ns = thread->until_ns;
    return next_ns;
}

// Everybody sleeps for ever. Another thread of the program's may still change that: it wakes somebody, or makes a
// descriptor ready. The lock is held, and released meanwhile.
static void threads_await_others(void)
{
    atomic_store(&threads.skips, 0);
    for (int waited_ms = 0; waited_ms < STUCK_WAIT_S * 1000; waited_ms += STUCK_LOOK_MS) {
        struct timespec limit;
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_nsec += STUCK_LOOK_MS * 1000000L;
        limit.tv_sec += limit.tv_nsec / 1000000000;
        limit.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&threads.changed, &threads.lock, &limit) == 0 || threads_count_ready() != 0)
            return;
    }
    fprintf(stderr, "chorex: simulation: every role waits, and nothing is on its way (seed=%llu)\n",
            (unsigned long long)machine_options()->seed);
    atomic_store(&threads.is_stuck, true);
}

// One of those that can run; NULL: none. The lock is held.
static SimulatedThread *threads_choose(void)
{
    uint64_t count = threads_count_ready();
    if (count == 0)
        return NULL;
    uint64_t chosen = machine_draw(DRAW_THREAD, count);
    SimulatedThread *thread = threads.first;
    while (!thread->can_run || chosen-- != 0)
        thread = thread->next;
    return thread;
}

// The next one that runs, however much time has to pass. `stays`: the caller can wait for it. The lock is held.
static SimulatedThread *threads_await_next(bool stays)
{
    for (;;) {
        SimulatedThread *thread = threads_choose();
        if (thread != NULL)
            return thread;
        uint64_t next_ns = threads_next_ns();
        if (next_ns < UINT64_MAX - 1 && atomic_fetch_add(&threads.skips, 1) < SKIPS_MAX)
            machine_advance_to(next_ns);
        else if (stays)
            threads_await_others();
        else
            return NULL;
    }
}

// The lock is held.
static void thread_stop_sleeping(SimulatedThread *thread)
{
    thread->sleeps = false;
    thread->sleeps_on = NULL;
    thread->polled_count = 0;
    thread->shared = NULL;
}

// The lock is held.
static void thread_go_on(SimulatedThread *thread)
{
    atomic_store(&threads.running, thread);
    if (thread != NULL) {
        thread_stop_sleeping(thread);
        sem_post(&thread->goes_on);
    }
}

// The lock is held, and released meanwhile.
static void thread_await_turn(SimulatedThread *own)
{
    while (atomic_load(&threads.running) != own) {
        pthread_mutex_unlock(&threads.lock);
        sem_wait(&own->goes_on);
        pthread_mutex_lock(&threads.lock);
    }
    if (own->is_killed) {
        pthread_mutex_unlock(&threads.lock);
        guard_jump(&own->end);
    }
}

// The calling thread lets another one run, or goes on. The lock is held.
static void thread_switch(SimulatedThread *own)
{
    SimulatedThread *next = threads_await_next(true);
    if (next == own)
        thread_stop_sleeping(own);
    else
        thread_go_on(next);
    threads.switches += next != own;
    thread_await_turn(own);
}

// The calling thread stops being one that can run. The lock is held.
static void thread_stop(void)
{
    thread_go_on(threads.visitors != 0 ? threads_await_next(false) : NULL);
}

// ---- threads ----

// A forked child has only the thread that forked.
static void threads_forked(void)
{
    pthread_mutex_init(&threads.lock, NULL);
    threads.first = threads.own = NULL;
    atomic_store(&threads.running, NULL);
    threads.visitors = 0;
    this_simulated = NULL;
    delay_forget();
}

// The lock is held. NULL: no memory.
static SimulatedThread *thread_new(void)
{
    static bool knows_forks;
    if (!knows_forks)
        knows_forks = pthread_atfork(NULL, NULL, threads_forked) == 0;
    SimulatedThread *thread = calloc(1, sizeof *thread);
    if (thread == NULL)
        return NULL;
    SimulatedThread **link = &threads.first;
    while (*link != NULL)
        link = &(*link)->next;
    *link = thread;
    thread->id = ++threads.ids;
    sem_init(&thread->goes_on, 0, 0);
    return thread;
}

static void thread_free(SimulatedThread *thread)
{
    SimulatedThread **link = &threads.first;
    while (*link != thread)
        link = &(*link)->next;
    *link = thread->next;
    sem_destroy(&thread->goes_on);
    free(thread);
}

// Is it the last thread of its process? The lock is held.
static bool thread_is_last(const SimulatedThread *own)
{
    for (const SimulatedThread *other = threads.first; other != NULL; other = other->next)
        if (other != own && other->process == own->process && !other->has_ended)
            return false;
    return true;
}

static void thread_ends(void *argument)
{
    SimulatedThread *own = argument;
    pthread_mutex_lock(&threads.lock);
    SimulatedProcess *ended = own->process != NULL && thread_is_last(own) ? own->process : NULL;
    own->is_killed = false;
    own->process = NULL;
    if (ended != NULL) {
        pthread_mutex_unlock(&threads.lock);
        processes_ended(ended);
        pthread_mutex_lock(&threads.lock);
    }
    own->has_ended = true;
    thread_stop();
    if (own->is_detached)
        thread_free(own);
    pthread_mutex_unlock(&threads.lock);
}

static void thread_run(void *argument)
{
    SimulatedThread *own = argument;
    pthread_mutex_lock(&threads.lock);
    thread_await_turn(own);
    pthread_mutex_unlock(&threads.lock);
    // The guard is for guard_jump only: failures don't lead there.
    current()->guard = NULL;
    own->run(own->argument);
    current()->guard = &own->end;
}

static void *thread_main(void *argument)
{
    SimulatedThread *own = argument;
    this_simulated = own;
    pthread_cleanup_push(thread_ends, own);
    guard_run(&own->end, NULL, thread_run, own);
    pthread_cleanup_pop(1);
    return NULL;
}

// The lock is held.
static SimulatedThread *thread_make(SimulatedProcess *process, void *(*run)(void *), void *argument)
{
    SimulatedThread *thread = thread_new();
    if (thread == NULL)
        return NULL;
    thread->process = process;
    thread->run = run;
    thread->argument = argument;
    if (!platform_posix.thread_start(&thread->thread, thread_main, thread)) {
        thread_free(thread);
        return NULL;
    }
    // One that has ended and was detached, so that nobody joins it, may have had the same name.
    for (SimulatedThread *other = threads.first, *next; other != NULL; other = next) {
        next = other->next;
        if (other->has_ended && pthread_equal(other->thread, thread->thread))
            thread_free(other);
    }
    return thread;
}

bool threads_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    pthread_mutex_lock(&threads.lock);
    SimulatedThread *made = thread_make(threads_process(), run, argument);
    if (made != NULL)
        *thread = made->thread;
    pthread_mutex_unlock(&threads.lock);
    return made != NULL;
}

void threads_start_own(void *(*run)(void *), uint64_t (*due_ns)(void))
{
    pthread_mutex_lock(&threads.lock);
    if (threads.own == NULL) {
        threads.own = thread_make(NULL, run, NULL);
        if (threads.own == NULL)
            machine_no_memory();
        threads.own->due_ns = due_ns;
        threads.own->sleeps = true;
    }
    pthread_mutex_unlock(&threads.lock);
}

unsigned threads_cores(void)
{
    const SimulationOptions *options = machine_options();
    uint64_t mixed = (options->seed + 1) * 0x9e3779b97f4a7c15u;
    return options->threads != 0 ? options->threads : 1 + (unsigned)((mixed >> 32) % CORES_MAX);
}

long threads_id(void)
{
    return this_simulated->id;
}

// Every thread is taken to compute all the time, or not at all: the seed decides, each time that somebody asks.
uint64_t threads_cpu_ns(long id)
{
    (void)id;
    return machine_draw(DRAW_THREAD, 2) == 0 ? machine_now_ns() : 0;
}

bool threads_sleeps(long id)
{
    (void)id;
    return machine_draw(DRAW_THREAD, 2) == 0;
}

// ---- processes ----

SimulatedProcess *threads_process(void)
{
    return this_simulated != NULL ? this_simulated->process : NULL;
}

bool threads_start_process(SimulatedProcess *process, void *(*run)(void *))
{
    pthread_mutex_lock(&threads.lock);
    SimulatedThread *made = thread_make(process, run, process);
    if (made != NULL) {
        made->is_detached = true;
        pthread_detach(made->thread);
    }
    pthread_mutex_unlock(&threads.lock);
    return made != NULL;
}

void threads_kill(SimulatedProcess *process)
{
    pthread_mutex_lock(&threads.lock);
    for (SimulatedThread *thread = threads.first; thread != NULL; thread = thread->next)
        if (thread->process == process)
            thread->is_killed = true;
    pthread_cond_broadcast(&threads.changed);
    pthread_mutex_unlock(&threads.lock);
}

void threads_end_this(void)
{
    guard_jump(&this_simulated->end);
}

// ---- visitors ----

// A thread of the program's ends in a call: a role's function has ended it.
static void visitor_exits(void *argument)
{
    SimulatedThread *own = argument;
    pthread_mutex_lock(&threads.lock);
    if (own->calls != 0) {
        own->calls = 0;
        threads.visitors--;
        thread_stop();
    }
    thread_free(own);
    pthread_mutex_unlock(&threads.lock);
}

// The calling thread. The lock is held.
static SimulatedThread *thread_self(void)
{
    if (this_simulated != NULL)
        return this_simulated;
    if (!threads.knows_exits)
        threads.knows_exits = pthread_key_create(&threads.exits, visitor_exits) == 0;
    SimulatedThread *own = thread_new();
    if (own == NULL)
        machine_no_memory();
    own->is_visitor = true;
    this_simulated = own;
    if (threads.knows_exits)
        pthread_setspecific(threads.exits, own);
    return own;
}

void threads_call_begin(void)
{
    pthread_mutex_lock(&threads.lock);
    SimulatedThread *own = thread_self();
    if (own->is_visitor && own->calls++ == 0) {
        threads.visitors++;
        pthread_cond_broadcast(&threads.changed);
        if (atomic_load(&threads.running) == NULL)
            atomic_store(&threads.running, own);
        thread_await_turn(own);
    }
    pthread_mutex_unlock(&threads.lock);
}

void threads_call_end(void)
{
    SimulatedThread *own = this_simulated;
    pthread_mutex_lock(&threads.lock);
    if (own->is_visitor && --own->calls == 0) {
        if (--threads.visitors == 0)
            atomic_store(&threads.is_stuck, false);
        thread_stop();
    }
    pthread_mutex_unlock(&threads.lock);
}

void threads_join(pthread_t thread)
{
    threads_call_begin();
    pthread_mutex_lock(&threads.lock);
    SimulatedThread *joined = threads.first;
    while (joined != NULL && (joined->is_visitor || !pthread_equal(joined->thread, thread)))
        joined = joined->next;
    CHECK(joined != NULL);
    while (!joined->has_ended)
        thread_switch(this_simulated);
    thread_free(joined);
    pthread_mutex_unlock(&threads.lock);
    platform_posix.thread_join(thread);
    threads_call_end();
}

// ---- sleeping and spinning ----

bool threads_are_stuck(void)
{
    return atomic_load(&threads.is_stuck);
}

// The session that is waited for has failed, and still does not end.
static void threads_check_end(void)
{
    if (!threads_are_stuck() || atomic_fetch_add(&threads.skips, 1) < SKIPS_MAX)
        return;
    fprintf(stderr, "chorex: simulation: a role that has something to do is never run (seed=%llu)\n",
            (unsigned long long)machine_options()->seed);
    abort();
}

// The calling thread, which runs, sleeps for so long; UINT64_MAX: without a limit. The lock is held.
static void thread_sleep(uint64_t timeout_ns)
{
    threads_check_end();
    uint64_t now_ns = machine_now_ns();
    this_simulated->sleeps = true;
    this_simulated->until_ns = timeout_ns < UINT64_MAX - now_ns ? now_ns + timeout_ns : UINT64_MAX;
    thread_switch(this_simulated);
}

void threads_sleep_on(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns)
{
    pthread_mutex_lock(&threads.lock);
    if (thread_runs() && atomic_load(word) == expected) {
        this_simulated->sleeps_on = word;
        thread_sleep(timeout_ns != 0 ? timeout_ns : UINT64_MAX);
    }
    pthread_mutex_unlock(&threads.lock);
}

// The process of the calling thread is killed, or stands still for so long that others miss it.
static void thread_is_lost(void)
{
    uint64_t stop_ns = machine_draw(DRAW_LOST, 2) == 0 ? 0 : machine_draw(DRAW_LOST, STOP_MAX_NS);
    if (stop_ns == 0)
        processes_die(SIGKILL);
    pthread_mutex_lock(&threads.lock);
    thread_sleep(stop_ns);
    pthread_mutex_unlock(&threads.lock);
}

void threads_poll(struct pollfd *polled, size_t count, int timeout_ms)
{
    if (threads_process() != NULL && machine_chance(DRAW_LOST, machine_options()->lost))
        thread_is_lost();
    pthread_mutex_lock(&threads.lock);
    bool runs = thread_runs();
    // What is ready already is not waited for: nobody else runs, and the caller may hold a lock.
    if (runs && poll(polled, count, 0) <= 0) {
        this_simulated->polled = polled;
        this_simulated->polled_count = count;
        thread_sleep(timeout_ms < 0 ? UINT64_MAX : (uint64_t)timeout_ms * 1000000);
    }
    pthread_mutex_unlock(&threads.lock);
    platform_posix.poll(polled, count, runs ? 0 : timeout_ms);
}

void threads_sleep_until_due(void)
{
    pthread_mutex_lock(&threads.lock);
    thread_sleep(UINT64_MAX);
    pthread_mutex_unlock(&threads.lock);
}

void threads_wake(_Atomic uint32_t *word)
{
    pthread_mutex_lock(&threads.lock);
    SimulatedThread *thread = threads.first;
    while (thread != NULL && thread->sleeps_on != (const void *)word)
        thread = thread->next;
    atomic_store(&threads.skips, 0);
    if (thread != NULL) {
        thread_stop_sleeping(thread);
        if (atomic_load(&threads.running) == NULL && threads.visitors != 0)
            thread_go_on(thread);
        pthread_cond_broadcast(&threads.changed);
    }
    pthread_mutex_unlock(&threads.lock);
}

void threads_sleep_on_shared(_Atomic uint32_t *word, uint32_t expected)
{
    processes_may_crash();
    pthread_mutex_lock(&threads.lock);
    if (thread_runs() && atomic_load(word) == expected) {
        this_simulated->shared = word;
        thread_sleep(UINT64_MAX);
    }
    pthread_mutex_unlock(&threads.lock);
}

// The word has another address in each process. It is the same if a change made here is seen there: all others stand still.
void threads_wake_shared(_Atomic uint32_t *word)
{
    processes_may_crash();
    pthread_mutex_lock(&threads.lock);
    uint32_t value = atomic_load(word);
    atomic_store(&threads.skips, 0);
    for (SimulatedThread *thread = threads.first; thread != NULL; thread = thread->next) {
        if (thread->shared == NULL || atomic_load(thread->shared) != value)
            continue;
        atomic_store(word, ~value);
        bool is_same = atomic_load(thread->shared) == ~value;
        atomic_store(word, value);
        if (is_same)
            thread_stop_sleeping(thread);
    }
    pthread_cond_broadcast(&threads.changed);
    pthread_mutex_unlock(&threads.lock);
}

bool threads_draw(Draw stream, unsigned times)
{
    return machine_draw(stream, times + threads.switches / SWITCHES_RARER) == 0;
}

// One in so many times, or rarer.
static void thread_switch_at_times(unsigned times)
{
    if (!thread_runs() || !threads_draw(DRAW_THREAD, times))
        return;
    pthread_mutex_lock(&threads.lock);
    thread_switch(this_simulated);
    pthread_mutex_unlock(&threads.lock);
}

void threads_relax(void)
{
    if (!thread_runs()) {
        sched_yield();
        return;
    }
    machine_advance_to(machine_now_ns() + RELAX_NS);
    thread_switch_at_times(RELAX_SWITCHES);
}

void threads_waiting(void)
{
    atomic_store_explicit(&threads.skips, 0, memory_order_relaxed);
    thread_switch_at_times(BOUNDARY_SWITCHES);
}

static bool thread_sleeps_for_a_while(const SimulatedThread *thread)
{
    return thread->sleeps && thread->until_ns > machine_now_ns() && thread->until_ns < UINT64_MAX - 1;
}

void threads_skip_to_sleeper(void)
{
    uint64_t count = 0;
    pthread_mutex_lock(&threads.lock);
    for (const SimulatedThread *thread = threads.first; thread != NULL; thread = thread->next)
        count += thread_sleeps_for_a_while(thread);
    uint64_t chosen = machine_draw(DRAW_SLOW, count);
    for (const SimulatedThread *thread = threads.first; count != 0; thread = thread->next)
        if (thread_sleeps_for_a_while(thread) && chosen-- == 0) {
            machine_advance_to(thread->until_ns);
            break;
        }
    pthread_mutex_unlock(&threads.lock);
}
