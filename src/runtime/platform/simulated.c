// simulated.c: a machine on which every choice is drawn from a seed: which thread goes on, how long turns are, when messages
// arrive, who crashes. Time is virtual. The runtime that runs on it is the production code.
//
// Here are its settings, its time and its chance, and what happens at the steps of roles.

#define _GNU_SOURCE
#include "runtime/platform/machine.h"

#include "base/check.h"
#include "runtime/actor/elsewhere.h"
#include "runtime/actor/observe.h"
#include "runtime/sched/scheduler.h"
#include "runtime/session/registry.h"
#include "runtime/session/session.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STEP_NS = 1000,   // of virtual time, for each boundary
    LONG_TURNS = 4,   // one boundary in so many is in a turn that takes long
    CHOICES_MAX = 64, // one of the first so many in a queue comes next
};

static struct {
    pthread_once_t once;
    bool wanted;
    SimulationOptions options;

    _Atomic uint64_t now_ns;
    _Atomic uint64_t random[DRAW_COUNT];
    _Atomic uint64_t steps;
    bool (*is_lost)(Actor *actor); // asked about actors on simulated nodes; NULL: there are none
} machine = {.once = PTHREAD_ONCE_INIT};

const SimulationOptions *machine_options(void)
{
    return &machine.options;
}

_Noreturn void machine_no_memory(void)
{
    fprintf(stderr, "chorex: simulation: out of memory\n");
    abort();
}

void *machine_allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (memory == NULL)
        machine_no_memory();
    return memory;
}

// ---- time ----

uint64_t machine_now_ns(void)
{
    return atomic_load_explicit(&machine.now_ns, memory_order_relaxed);
}

void machine_advance_to(uint64_t time_ns)
{
    // Only the thread that goes on lets time pass.
    if (time_ns > machine_now_ns())
        atomic_store_explicit(&machine.now_ns, time_ns, memory_order_relaxed);
}

// ---- chance ----

static uint64_t draw(Draw stream)
{
    uint64_t x = atomic_fetch_add(&machine.random[stream], 0x9e3779b97f4a7c15u) + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

bool machine_chance(Draw stream, double chance)
{
    return chance > 0 && (double)(draw(stream) >> 11) * 0x1p-53 < chance;
}

uint64_t machine_draw(Draw stream, uint64_t limit)
{
    return limit != 0 ? draw(stream) % limit : 0;
}

static void simulated_random(void *data, size_t size)
{
    for (unsigned char *byte = data; size > 0; byte++, size--)
        *byte = (unsigned char)(draw(DRAW_TOKEN) >> 56);
}

// ---- the steps of an actor ----

static uint32_t simulated_budget(void)
{
    // Mostly short turns; but a role that tells many others needs room in all their channels in one turn.
    static const uint32_t limits[] = {4, 4, 64, TURN_BUDGET};
    uint32_t limit = limits[machine_draw(DRAW_ORDER, sizeof limits / sizeof limits[0])];
    machine.steps++;
    return 1 + (uint32_t)machine_draw(DRAW_ORDER, limit);
}

static void session_is_endless(Actor *actor)
{
    Fault fault = {.kind = CHX_FAULT_SYSTEM, .site = actor->self.site};
    snprintf(fault.why, sizeof fault.why, "simulation: no end after max_steps=%llu",
             (unsigned long long)machine.options.max_steps);
    // Past all checkpoint blocks: a rescue could go on for ever, too. A process reports such a failure to the session.
    if (actor_is_process(actor))
        guard_raise(fault.kind, 0, fault.site, "%s", fault.why);
    session_fail(actor->session, CHX_FAILED, actor->role->role, &fault, actor_site_file(actor, fault.site),
                 actor_site_line(actor, fault.site));
}

// Some turns are treated as the watch treats those that take long: whoever waits in a queue comes next, and another worker is
// woken and may take over what this one was to run.
static void worker_is_at_it_for_long(Worker *worker)
{
    uint64_t turn = atomic_load(&worker->turn);
    atomic_store(&worker->slice_end, 0);
    if (!scheduler_worker_has_work(worker))
        return;
    atomic_store(&worker->stalled, turn);
    scheduler_help(worker->scheduler);
}

static void simulated_boundary(Actor *actor)
{
    const SimulationOptions *options = &machine.options;
    // A role's process has no worker.
    if (current()->worker != NULL && threads_draw(DRAW_ORDER, LONG_TURNS))
        worker_is_at_it_for_long(current()->worker);
    threads_waiting();
    // Only the worker that runs an actor knows it by this.
    CHECK(atomic_load(&actor->home) == current()->worker);
    machine_advance_to(machine_now_ns() + STEP_NS);
    bool hangs, crashes = faults_at_boundary(actor->role->role, &hangs);
    bool is_endless = ++machine.steps > options->max_steps && options->max_steps != 0;
    bool is_lost = machine.is_lost != NULL && actor->session->parts != NULL && machine.is_lost(actor);
    if (machine_chance(DRAW_SLOW, options->slow))
        threads_skip_to_sleeper();
    if (hangs)
        threads_hang(options->hang_ns);
    if (is_endless)
        session_is_endless(actor);
    else if (crashes && actor_is_process(actor))
        processes_die(SIGKILL);
    else if (is_lost)
        guard_raise(CHX_FAULT_SIGNAL, SIGKILL, actor->self.site, "simulated loss of its node");
    else if (crashes)
        guard_raise(CHX_FAULT_SIGNAL, SIGKILL, actor->self.site, "simulated crash");
}

// ---- what the seed decides about sessions ----

static bool simulated_serves(void)
{
    return machine_draw(DRAW_PATH, 2) == 0;
}

static uint32_t simulated_choose(uint32_t count)
{
    return (uint32_t)machine_draw(DRAW_ORDER, count < CHOICES_MAX ? count : CHOICES_MAX);
}

// With `threads`, three of four sessions run on the fast paths, half of these unobserved if nobody wants to know.
static uint32_t simulated_observed(uint32_t observed, bool *is_fast)
{
    const SimulationOptions *options = &machine.options;
    if (options->threads == 0 || options->delay_max_ns != 0)
        return observed;
    uint64_t drawn = machine_draw(DRAW_PATH, 8);
    bool is_needed = faults_are_wanted() || options->max_steps != 0 || (observed & OBSERVED_TRACE) != 0;
    *is_fast = drawn >= 2;
    return drawn % 2 == 1 && *is_fast && !is_needed ? 0 : observed;
}

static void simulated_channel(Channel *channel)
{
    if (machine.options.delay_max_ns != 0 && machine.options.nodes == 0)
        delay_channel(channel);
}

// ---- nodes ----

static void simulated_ask_nodes(bool (*is_lost)(Actor *actor))
{
    machine.is_lost = is_lost;
}

// ---- the machine ----

static bool simulated_can_fence_all(void)
{
    return true;
}

// The threads that stand still have done everything that they did, in order.
static void simulated_fence_all(void)
{
}

const Platform platform_simulated = {
    .now_ns = machine_now_ns,
    .random = simulated_random,
    .cores = threads_cores,
    .thread_start = threads_start,
    .thread_join = threads_join,
    .thread_id = threads_id,
    .thread_cpu_ns = threads_cpu_ns,
    .thread_sleeps = threads_sleeps,
    .sleep_on = threads_sleep_on,
    .wake = threads_wake,
    .relax = threads_relax,
    .yield = threads_relax,
    .poll = threads_poll,
    .wait_events = threads_wait_events,
    .can_fence_all = simulated_can_fence_all,
    .fence_all = simulated_fence_all,
    .process_fork = processes_fork,
    .process_reap = processes_reap,
    .process_kill = processes_kill,
    .process_time = processes_time,
    .process_exit = processes_exit,
    .sleep_on_shared = threads_sleep_on_shared,
    .wake_shared = threads_wake_shared,
    .is_simulated = true,
    .process_die = processes_die,
    .call_begin = threads_call_begin,
    .call_end = threads_call_end,
    .is_stuck = threads_are_stuck,
    .serves = simulated_serves,
    .choose = simulated_choose,
    .observed = simulated_observed,
    .channel = simulated_channel,
    .waiting = threads_waiting,
    .budget = simulated_budget,
    .boundary = simulated_boundary,
    .options = machine_options,
    .ask_nodes = simulated_ask_nodes,
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
    faults_begin();
    for (int i = 0; i < DRAW_COUNT; i++)
        machine.random[i] = (machine.options.seed + 1) * 0xd6e8feb86659fd93u + (uint64_t)i * 0xa0761d6478bd642fu;
}

const Platform *platform_from_env(void)
{
    pthread_once(&machine.once, machine_read_settings);
    return machine.wanted ? &platform_simulated : &platform_posix;
}
