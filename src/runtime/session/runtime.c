// runtime.c: making and freeing runtimes; the default one.

#include "runtime/session/runtime.h"

#include "runtime/recovery/machine.h"
#include "runtime/isolation/isolation.h"
#include "runtime/platform/simulation.h"
#include "runtime/platform/spin_budget.h"
#include "runtime/remote/remote.h"
#include "runtime/session/log.h"
#include "runtime/actor/observe.h"
#include "runtime/session/plan.h"
#include "runtime/session/top.h"
#include "runtime/session/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *runtime_allocate(chx_runtime *runtime, size_t size)
{
    Current *here = current();
    here->busy++;
    void *memory = runtime->options.allocate != NULL
                       ? runtime->options.allocate(runtime->options.allocate_context, NULL, size)
                       : malloc(size);
    here->busy--;
    return memory;
}

void runtime_release(chx_runtime *runtime, void *memory)
{
    Current *here = current();
    if (memory == NULL)
        return;
    here->busy++;
    if (runtime->options.allocate != NULL)
        runtime->options.allocate(runtime->options.allocate_context, memory, 0);
    else
        free(memory);
    here->busy--;
}

void *runtime_grow(chx_runtime *runtime, void *items, size_t *capacity, size_t item_bytes)
{
    size_t more = *capacity == 0 ? 16 : *capacity * 2;
    void *grown = runtime_allocate(runtime, more * item_bytes);
    if (grown == NULL)
        return NULL;
    if (items != NULL)
        memcpy(grown, items, *capacity * item_bytes);
    runtime_release(runtime, items);
    *capacity = more;
    return grown;
}

// Nodes are libchorex-net's, also simulated ones.
static void runtime_check_nodes(const Platform *platform)
{
    if (platform->options == NULL || platform->options()->nodes == 0 || part_starter != NULL)
        return;
    fprintf(stderr, "chorex: CHOREX_SIM: nodes: the program is not linked with libchorex-net (chorcc --libs=net)\n");
    exit(2);
}

chx_runtime *chx_runtime_new(const chx_runtime_options *options)
{
    static const chx_runtime_options none;
    chx_runtime seed = {.options = options != NULL ? *options : none};
    chx_runtime *runtime = runtime_allocate(&seed, sizeof *runtime);
    if (runtime == NULL)
        return NULL;
    memset(runtime, 0, sizeof *runtime);
    runtime->options = seed.options;
    if (runtime->options.channel_messages == 0)
        runtime->options.channel_messages = CHANNEL_MESSAGES_DEFAULT;
    if (runtime->options.channel_bytes == 0)
        runtime->options.channel_bytes = CHANNEL_BYTES_DEFAULT;
    runtime->platform = platform_from_env();
    runtime_check_nodes(runtime->platform);
    const char *unknown_level;
    runtime->log_level = log_level_from_env(&unknown_level);
    if (unknown_level != NULL)
        log_write(runtime, CHX_LOG_WARN, "CHOREX_LOG=%s: it can be debug, info, warn, error or off", unknown_level);
    runtime->isolation_wish = isolation_from_env();
    if (runtime->isolation_wish == ISOLATION_NONE)
        log_write(runtime, CHX_LOG_WARN, "CHOREX_ISOLATION=thread!: no role has a process of its own, or a sandbox");
    runtime->observed = runtime->platform->is_simulated ? OBSERVED_SIMULATION : 0;
    runtime->spin_budget_ns = runtime->platform->cores() > 1 ? SPIN_BUDGET_NS : 0;
    runtime->platform->random(runtime->key, sizeof runtime->key);
    pthread_mutex_init(&runtime->plan_lock, NULL);
    event_loop_init(&runtime->loop, runtime->platform, NULL, NULL);
    poller_init(&runtime->poller, runtime->platform, runtime);
    scheduler_init(&runtime->scheduler, runtime, runtime->options.workers);
    isolation_signals_acquire(runtime);
    trace_know(runtime);
    top_know(runtime);
    return runtime;
}

void chx_runtime_free(chx_runtime *runtime)
{
    if (runtime == NULL)
        return;
    long sessions = atomic_load(&runtime->session_count);
    if (sessions != 0)
        log_misuse("chx_runtime_free: %ld sessions of this runtime have not been waited for", sessions);
    const Platform *platform = runtime->platform;
    trace_forget(runtime);
    if (platform->call_begin != NULL)
        platform->call_begin();
    isolation_fini(runtime);
    event_loop_stop(&runtime->loop);
    event_loop_fini(&runtime->loop);
    scheduler_fini(&runtime->scheduler);
    poller_fini(&runtime->poller);
    if (platform->call_end != NULL)
        platform->call_end();
    if (runtime->options.signals)
        isolation_signals_release();
    plan_free_all(runtime);
    pthread_mutex_destroy(&runtime->plan_lock);
    runtime_release(&(chx_runtime){.options = runtime->options}, runtime);
}

static _Atomic(chx_runtime *) default_runtime;
static pthread_mutex_t default_lock = PTHREAD_MUTEX_INITIALIZER;
static chx_runtime *inherited; // whom nobody will ask again; known here to those who look for leaks

// A forked child has its parent's runtime without the threads, and nobody knows who held its locks. The child leaves it
// alone, and gets one of its own when it wants to.
static void runtime_forget_default(void)
{
    chx_runtime *runtime = atomic_exchange(&default_runtime, NULL);
    if (runtime != NULL)
        inherited = runtime;
    pthread_mutex_init(&default_lock, NULL);
}

chx_runtime *runtime_default(void)
{
    static bool watches_forks;
    chx_runtime *runtime = atomic_load_explicit(&default_runtime, memory_order_acquire);
    if (runtime != NULL)
        return runtime;
    pthread_mutex_lock(&default_lock);
    runtime = atomic_load(&default_runtime);
    if (!watches_forks)
        watches_forks = pthread_atfork(NULL, NULL, runtime_forget_default) == 0;
    if (runtime == NULL) {
        runtime = chx_runtime_new(&(chx_runtime_options){.signals = true});
        atomic_store(&default_runtime, runtime);
    }
    pthread_mutex_unlock(&default_lock);
    return runtime;
}

// At the program's orderly end. Sessions that still run keep their runtime.
static void __attribute__((destructor)) runtime_free_default(void)
{
    chx_runtime *runtime = atomic_load(&default_runtime);
    if (runtime == NULL || atomic_load(&runtime->session_count) != 0)
        return;
    atomic_store(&default_runtime, NULL);
    chx_runtime_free(runtime);
}
