// machine.c: the machine that a runtime runs on, as libraries beside this one see it: chorex/remote.h.

#include "runtime/platform/simulation.h"
#include "runtime/remote/part.h"

uint64_t chx_machine_now_ns(const chx_runtime *runtime)
{
    return runtime->platform->now_ns();
}

void chx_machine_sleep(const chx_runtime *runtime, _Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns)
{
    runtime->platform->sleep_on(word, expected, timeout_ns);
}

void chx_machine_wake(const chx_runtime *runtime, _Atomic uint32_t *word)
{
    runtime->platform->wake(word);
}

void chx_machine_enter(const chx_runtime *runtime)
{
    if (runtime->platform->call_begin != NULL)
        runtime->platform->call_begin();
}

void chx_machine_leave(const chx_runtime *runtime)
{
    if (runtime->platform->call_end != NULL)
        runtime->platform->call_end();
}

bool chx_machine_start(const chx_runtime *runtime, pthread_t *thread, void *(*run)(void *), void *argument)
{
    return runtime->platform->thread_start(thread, run, argument);
}

void chx_machine_join(const chx_runtime *runtime, pthread_t thread)
{
    runtime->platform->thread_join(thread);
}

bool chx_machine_is_simulated(const chx_runtime *runtime)
{
    return runtime->platform->is_simulated;
}

void chx_machine_random(const chx_runtime *runtime, void *data, size_t size)
{
    runtime->platform->random(data, size);
}

// ---- simulated nodes ----

static bool (*is_context_lost)(void *context);

static bool is_actor_lost(Actor *actor)
{
    return is_context_lost(actor_part(actor)->context);
}

bool chx_machine_has_nodes(const chx_runtime *runtime, chx_machine_nodes *nodes, bool (*is_lost)(void *context))
{
    const Platform *platform = runtime->platform;
    const SimulationOptions *options = platform->options != NULL ? platform->options() : NULL;
    if (options == NULL || options->nodes == 0)
        return false;
    *nodes = (chx_machine_nodes){.seed = options->seed,
                                 .nodes = (unsigned)options->nodes,
                                 .cut = options->cut,
                                 .kill = options->kill,
                                 .silent = options->silent,
                                 .delay_min_ns = options->delay_min_ns,
                                 .delay_max_ns = options->delay_max_ns,
                                 .suspect_ns = options->suspect_ns};
    is_context_lost = is_lost;
    platform->ask_nodes(is_actor_lost);
    return true;
}
