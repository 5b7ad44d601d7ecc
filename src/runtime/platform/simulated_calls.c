// simulated_calls.c: what threads ask of the simulated machine: calls of the program's, sleeping, waking, spinning, waiting for
// descriptors. These are the places at which one thread stops and another goes on.

#define _GNU_SOURCE
#include "runtime/platform/simulated_threads.h"

#include "base/check.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

enum {
    RELAX_NS = 2000,       // of virtual time, for each round of a loop that spins
    RELAX_SWITCHES = 4,    // one in so many of them lets others run
    BOUNDARY_SWITCHES = 3, // the same for boundaries
    SWITCHES_RARER = 200,  // after each so many switches, others become rarer: long runs have enough of them
};

#define STOP_MAX_NS UINT64_C(15000000000) // of virtual time, for a process that stands still

// ---- visitors ----

// A thread of the program's ends in a call: a role's function has ended it.
static void visitor_exits(void *argument)
{
    SimulatedThread *own = argument;
    pthread_mutex_lock(&simulated_threads.lock);
    if (own->calls != 0) {
        own->calls = 0;
        simulated_threads.visitors--;
        thread_stop();
    }
    thread_free(own);
    pthread_mutex_unlock(&simulated_threads.lock);
}

// The calling thread. The lock is held.
static SimulatedThread *thread_self(void)
{
    if (this_simulated != NULL)
        return this_simulated;
    if (!simulated_threads.knows_exits)
        simulated_threads.knows_exits = pthread_key_create(&simulated_threads.exits, visitor_exits) == 0;
    SimulatedThread *own = thread_new();
    own->is_visitor = true;
    this_simulated = own;
    if (simulated_threads.knows_exits)
        pthread_setspecific(simulated_threads.exits, own);
    return own;
}

void threads_call_begin(void)
{
    pthread_mutex_lock(&simulated_threads.lock);
    SimulatedThread *own = thread_self();
    if (own->is_visitor && own->calls++ == 0) {
        simulated_threads.visitors++;
        if (atomic_load(&simulated_threads.running) == NULL)
            atomic_store(&simulated_threads.running, own);
        thread_await_turn(own);
    }
    pthread_mutex_unlock(&simulated_threads.lock);
}

void threads_call_end(void)
{
    SimulatedThread *own = this_simulated;
    pthread_mutex_lock(&simulated_threads.lock);
    if (own->is_visitor && --own->calls == 0) {
        if (--simulated_threads.visitors == 0)
            atomic_store(&simulated_threads.is_stuck, false);
        thread_stop();
    }
    pthread_mutex_unlock(&simulated_threads.lock);
}

// ---- sleeping and spinning ----

bool threads_are_stuck(void)
{
    return atomic_load(&simulated_threads.is_stuck);
}

// The session that is waited for has failed, and still does not end.
static void threads_check_end(void)
{
    if (!threads_are_stuck() || atomic_fetch_add(&simulated_threads.skips, 1) < SKIPS_MAX)
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
    this_simulated->until_ns = timeout_ns < UINT64_MAX - now_ns ? now_ns + timeout_ns : UINT64_MAX;
    thread_switch(this_simulated);
}

void threads_join(pthread_t thread)
{
    threads_call_begin();
    pthread_mutex_lock(&simulated_threads.lock);
    SimulatedThread *joined = simulated_threads.first;
    while (joined != NULL && (joined->is_visitor || !pthread_equal(joined->thread, thread)))
        joined = joined->next;
    CHECK(joined != NULL);
    while (!joined->has_ended) {
        this_simulated->sleeps_on = joined;
        thread_sleep(UINT64_MAX);
    }
    thread_free(joined);
    pthread_mutex_unlock(&simulated_threads.lock);
    platform_posix.thread_join(thread);
    threads_call_end();
}

static void thread_sleep_on(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns, bool is_shared)
{
    pthread_mutex_lock(&simulated_threads.lock);
    if (thread_runs() && atomic_load(word) == expected) {
        this_simulated->sleeps_on = word;
        this_simulated->is_shared = is_shared;
        thread_sleep(timeout_ns != 0 ? timeout_ns : UINT64_MAX);
    }
    pthread_mutex_unlock(&simulated_threads.lock);
}

void threads_sleep_on(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns)
{
    thread_sleep_on(word, expected, timeout_ns, false);
}

// The process of the calling thread is killed, or stands still for so long that others miss it.
static void thread_is_lost(void)
{
    uint64_t stop_ns = machine_draw(DRAW_LOST, 2) == 0 ? 0 : machine_draw(DRAW_LOST, STOP_MAX_NS);
    if (stop_ns == 0)
        processes_die(SIGKILL);
    pthread_mutex_lock(&simulated_threads.lock);
    thread_sleep(stop_ns);
    pthread_mutex_unlock(&simulated_threads.lock);
}

void threads_hang(uint64_t time_ns)
{
    pthread_mutex_lock(&simulated_threads.lock);
    this_simulated->hangs = true;
    thread_sleep(time_ns);
    pthread_mutex_unlock(&simulated_threads.lock);
}

void threads_poll(struct pollfd *polled, size_t count, int timeout_ms)
{
    if (threads_process() != NULL && machine_chance(DRAW_LOST, machine_options()->lost))
        thread_is_lost();
    pthread_mutex_lock(&simulated_threads.lock);
    bool runs = thread_runs();
    // What is ready already is not waited for: nobody else runs, and the caller may hold a lock.
    if (runs && poll(polled, count, 0) <= 0) {
        this_simulated->polled = polled;
        this_simulated->polled_count = count;
        thread_sleep(timeout_ms < 0 ? UINT64_MAX : (uint64_t)timeout_ms * 1000000);
    }
    pthread_mutex_unlock(&simulated_threads.lock);
    platform_posix.poll(polled, count, runs ? 0 : timeout_ms);
}

int threads_wait_events(int epoll, struct epoll_event *events, int count, int timeout_ms)
{
    struct pollfd polled = {.fd = epoll, .events = POLLIN};
    if (timeout_ms != 0)
        threads_poll(&polled, 1, timeout_ms);
    return epoll_wait(epoll, events, count, 0);
}

void threads_wake(_Atomic uint32_t *word)
{
    pthread_mutex_lock(&simulated_threads.lock);
    SimulatedThread *thread = thread_wake((const void *)word);
    atomic_store(&simulated_threads.skips, 0);
    if (thread != NULL && atomic_load(&simulated_threads.running) == NULL && simulated_threads.visitors != 0)
        thread_go_on(thread);
    pthread_mutex_unlock(&simulated_threads.lock);
}

void threads_sleep_on_shared(_Atomic uint32_t *word, uint32_t expected)
{
    processes_may_crash();
    thread_sleep_on(word, expected, 0, true);
}

// The word has another address in each process. It is the same if a change made here is seen there: all others stand still.
void threads_wake_shared(_Atomic uint32_t *word)
{
    processes_may_crash();
    pthread_mutex_lock(&simulated_threads.lock);
    uint32_t value = atomic_load(word);
    atomic_store(&simulated_threads.skips, 0);
    for (SimulatedThread *thread = simulated_threads.first; thread != NULL; thread = thread->next) {
        const _Atomic uint32_t *other = thread->is_shared ? thread->sleeps_on : NULL;
        if (other == NULL || atomic_load(other) != value)
            continue;
        atomic_store(word, ~value);
        bool is_same = atomic_load(other) == ~value;
        atomic_store(word, value);
        if (is_same)
            thread_stop_sleeping(thread);
    }
    pthread_mutex_unlock(&simulated_threads.lock);
}

bool threads_draw(Draw stream, unsigned times)
{
    return machine_draw(stream, times + simulated_threads.switches / SWITCHES_RARER) == 0;
}

// One in so many times, or rarer.
static void thread_switch_at_times(unsigned times)
{
    if (!thread_runs() || !threads_draw(DRAW_THREAD, times))
        return;
    pthread_mutex_lock(&simulated_threads.lock);
    thread_switch(this_simulated);
    pthread_mutex_unlock(&simulated_threads.lock);
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
    atomic_store_explicit(&simulated_threads.skips, 0, memory_order_relaxed);
    thread_switch_at_times(BOUNDARY_SWITCHES);
}

static bool thread_sleeps_for_a_while(const SimulatedThread *thread)
{
    return thread->until_ns > machine_now_ns() && thread->until_ns < UINT64_MAX - 1;
}

void threads_skip_to_sleeper(void)
{
    uint64_t count = 0;
    pthread_mutex_lock(&simulated_threads.lock);
    for (const SimulatedThread *thread = simulated_threads.first; thread != NULL; thread = thread->next)
        count += thread_sleeps_for_a_while(thread);
    uint64_t chosen = machine_draw(DRAW_SLOW, count);
    for (const SimulatedThread *thread = simulated_threads.first; count != 0; thread = thread->next)
        if (thread_sleeps_for_a_while(thread) && chosen-- == 0) {
            machine_advance_to(thread->until_ns);
            break;
        }
    pthread_mutex_unlock(&simulated_threads.lock);
}
