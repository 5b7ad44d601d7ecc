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
#include "runtime/platform/simulated_threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    STUCK_WAIT_S = 2,  // real time in which another thread of the program's could still change something
    STUCK_LOOK_MS = 1, // and between two looks for that
    CORES_MAX = 3,     // that a seed gives
};

SimulatedThreads simulated_threads = {.lock = PTHREAD_MUTEX_INITIALIZER};

_Thread_local SimulatedThread *this_simulated;

// ---- who runs ----

bool thread_runs(void)
{
    return this_simulated != NULL && atomic_load(&simulated_threads.running) == this_simulated;
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
static bool thread_can_run(const SimulatedThread *thread)
{
    if (thread->has_ended || (thread->is_visitor && thread->calls == 0))
        return false;
    return thread->is_killed || thread->until_ns <= machine_now_ns() || thread_finds_ready(thread) ||
           (thread->is_visitor && atomic_load(&simulated_threads.is_stuck));
}

// How many can run. The lock is held.
static uint64_t threads_count_ready(void)
{
    uint64_t count = 0;
    for (SimulatedThread *thread = simulated_threads.first; thread != NULL; thread = thread->next) {
        thread->can_run = thread_can_run(thread);
        count += thread->can_run;
    }
    return count;
}

// The next moment at which somebody wakes up; UINT64_MAX: nobody will. The lock is held.
static uint64_t threads_next_ns(void)
{
    uint64_t next_ns = UINT64_MAX;
    for (const SimulatedThread *thread = simulated_threads.first; thread != NULL; thread = thread->next)
        if (!thread->has_ended && thread->until_ns != 0 && thread->until_ns < next_ns)
            next_ns = thread->until_ns;
    return next_ns;
}

// Is there one that stands still inside of a call? However often others look meanwhile, it goes on some time. The lock is held.
static bool threads_hang_somewhere(void)
{
    const SimulatedThread *thread = simulated_threads.first;
    while (thread != NULL && (thread->has_ended || thread->is_killed || !thread->hangs))
        thread = thread->next;
    return thread != NULL;
}

// Everybody sleeps for ever. Another thread of the program's may still change that: it wakes somebody, or makes a
// descriptor ready. The lock is held, and released meanwhile.
static void threads_await_others(void)
{
    atomic_store(&simulated_threads.skips, 0);
    for (int waited_ms = 0; waited_ms < STUCK_WAIT_S * 1000; waited_ms += STUCK_LOOK_MS) {
        if (threads_count_ready() != 0)
            return;
        pthread_mutex_unlock(&simulated_threads.lock);
        nanosleep(&(struct timespec){.tv_nsec = STUCK_LOOK_MS * 1000000L}, NULL);
        pthread_mutex_lock(&simulated_threads.lock);
    }
    fprintf(stderr, "chorex: simulation: every role waits, and nothing is on its way (seed=%llu)\n",
            (unsigned long long)machine_options()->seed);
    atomic_store(&simulated_threads.is_stuck, true);
}

// One of those that can run; NULL: none. The lock is held.
static SimulatedThread *threads_choose(void)
{
    uint64_t count = threads_count_ready();
    if (count == 0)
        return NULL;
    uint64_t chosen = machine_draw(DRAW_THREAD, count);
    SimulatedThread *thread = simulated_threads.first;
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
        if (threads_hang_somewhere())
            atomic_store(&simulated_threads.skips, 0);
        if (next_ns < UINT64_MAX - 1 && atomic_fetch_add(&simulated_threads.skips, 1) < SKIPS_MAX)
            machine_advance_to(next_ns);
        else if (stays)
            threads_await_others();
        else
            return NULL;
    }
}

void thread_stop_sleeping(SimulatedThread *thread)
{
    thread->until_ns = 0;
    thread->hangs = false;
    thread->sleeps_on = NULL;
    thread->polled_count = 0;
    thread->is_shared = false;
}

void thread_go_on(SimulatedThread *thread)
{
    atomic_store(&simulated_threads.running, thread);
    if (thread != NULL) {
        thread_stop_sleeping(thread);
        sem_post(&thread->goes_on);
    }
}

void thread_await_turn(SimulatedThread *own)
{
    while (atomic_load(&simulated_threads.running) != own) {
        pthread_mutex_unlock(&simulated_threads.lock);
        sem_wait(&own->goes_on);
        pthread_mutex_lock(&simulated_threads.lock);
    }
    if (own->is_killed) {
        pthread_mutex_unlock(&simulated_threads.lock);
        guard_jump(&own->end);
    }
}

void thread_switch(SimulatedThread *own)
{
    SimulatedThread *next = threads_await_next(true);
    if (next == own)
        thread_stop_sleeping(own);
    else
        thread_go_on(next);
    simulated_threads.switches += next != own;
    thread_await_turn(own);
}

void thread_stop(void)
{
    thread_go_on(simulated_threads.visitors != 0 ? threads_await_next(false) : NULL);
}

// ---- threads ----

// A forked child has only the thread that forked.
static void threads_forked(void)
{
    pthread_mutex_init(&simulated_threads.lock, NULL);
    simulated_threads.first = NULL;
    atomic_store(&simulated_threads.running, NULL);
    simulated_threads.visitors = 0;
    this_simulated = NULL;
}

SimulatedThread *thread_new(void)
{
    static bool knows_forks;
    if (!knows_forks)
        knows_forks = pthread_atfork(NULL, NULL, threads_forked) == 0;
    SimulatedThread *thread = machine_allocate(sizeof *thread);
    SimulatedThread **link = &simulated_threads.first;
    while (*link != NULL)
        link = &(*link)->next;
    *link = thread;
    thread->id = ++simulated_threads.ids;
    sem_init(&thread->goes_on, 0, 0);
    return thread;
}

void thread_free(SimulatedThread *thread)
{
    SimulatedThread **link = &simulated_threads.first;
    while (*link != thread)
        link = &(*link)->next;
    *link = thread->next;
    sem_destroy(&thread->goes_on);
    free(thread);
}

// Is it the last thread of its process? The lock is held.
static bool thread_is_last(const SimulatedThread *own)
{
    for (const SimulatedThread *other = simulated_threads.first; other != NULL; other = other->next)
        if (other != own && other->process == own->process && !other->has_ended)
            return false;
    return true;
}

SimulatedThread *thread_wake(const void *word)
{
    SimulatedThread *thread = simulated_threads.first;
    while (thread != NULL && thread->sleeps_on != word)
        thread = thread->next;
    if (thread != NULL)
        thread_stop_sleeping(thread);
    return thread;
}

static void thread_ends(void *argument)
{
    SimulatedThread *own = argument;
    pthread_mutex_lock(&simulated_threads.lock);
    SimulatedProcess *ended = own->process != NULL && thread_is_last(own) ? own->process : NULL;
    own->is_killed = false;
    own->process = NULL;
    if (ended != NULL) {
        pthread_mutex_unlock(&simulated_threads.lock);
        processes_ended(ended);
        pthread_mutex_lock(&simulated_threads.lock);
    }
    own->has_ended = true;
    thread_wake(own);
    thread_stop();
    if (own->is_detached)
        thread_free(own);
    pthread_mutex_unlock(&simulated_threads.lock);
}

static void thread_run(void *argument)
{
    SimulatedThread *own = argument;
    pthread_mutex_lock(&simulated_threads.lock);
    thread_await_turn(own);
    pthread_mutex_unlock(&simulated_threads.lock);
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
    thread->process = process;
    thread->run = run;
    thread->argument = argument;
    if (!platform_posix.thread_start(&thread->thread, thread_main, thread)) {
        thread_free(thread);
        return NULL;
    }
    // One that has ended and was detached, so that nobody joins it, may have had the same name.
    for (SimulatedThread *other = simulated_threads.first, *next; other != NULL; other = next) {
        next = other->next;
        if (other->has_ended && pthread_equal(other->thread, thread->thread))
            thread_free(other);
    }
    return thread;
}

bool threads_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    pthread_mutex_lock(&simulated_threads.lock);
    SimulatedThread *made = thread_make(threads_process(), run, argument);
    if (made != NULL)
        *thread = made->thread;
    pthread_mutex_unlock(&simulated_threads.lock);
    return made != NULL;
}

// ---- processes ----

SimulatedProcess *threads_process(void)
{
    return this_simulated != NULL ? this_simulated->process : NULL;
}

bool threads_start_process(SimulatedProcess *process, void *(*run)(void *))
{
    pthread_mutex_lock(&simulated_threads.lock);
    SimulatedThread *made = thread_make(process, run, process);
    if (made != NULL) {
        made->is_detached = true;
        pthread_detach(made->thread);
    }
    pthread_mutex_unlock(&simulated_threads.lock);
    return made != NULL;
}

void threads_kill(SimulatedProcess *process)
{
    pthread_mutex_lock(&simulated_threads.lock);
    for (SimulatedThread *thread = simulated_threads.first; thread != NULL; thread = thread->next)
        if (thread->process == process)
            thread->is_killed = true;
    pthread_mutex_unlock(&simulated_threads.lock);
}

void threads_end_this(void)
{
    guard_jump(&this_simulated->end);
}

// ---- what threads are told about themselves and others ----

unsigned threads_cores(void)
{
    const SimulationOptions *options = machine_options();
    uint64_t mixed = (options->seed + 1) * 0x9e3779b97f4a7c15u;
    return (unsigned)(options->threads != 0 ? options->threads : 1 + (mixed >> 32) % CORES_MAX);
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
