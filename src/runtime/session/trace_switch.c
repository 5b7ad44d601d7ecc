// trace_switch.c: when traces are on: from the beginning (CHOREX_TRACE), by a call (chx_trace_start), or by a signal that the
// environment allows (CHOREX_TRACE_SIGNAL).
//
// A session is traced from its beginning or not at all: chx_session.observed is set once, so that nobody has to ask
// while it runs. What is switched is what sessions begin with, in all runtimes of the process.

#define _GNU_SOURCE
#include "runtime/actor/observe.h"
#include "runtime/session/log.h"
#include "runtime/session/runtime.h"
#include "runtime/session/trace.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock; // of everything but `asked`
    chx_runtime *runtimes;
    bool watches_forks;
    bool was_tried; // to do what the environment says
    bool is_on;
    unsigned count; // of traces that the signal has begun
    sem_t asked;    // by the signal
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

// The lock is held.
static void switch_all(bool is_on)
{
    state.is_on = is_on;
    for (chx_runtime *runtime = state.runtimes; runtime != NULL; runtime = runtime->next_known) {
        if (is_on)
            atomic_fetch_or(&runtime->observed, OBSERVED_TRACE);
        else
            atomic_fetch_and(&runtime->observed, ~(uint32_t)OBSERVED_TRACE);
    }
}

// The lock is held.
static bool switch_on(const char *given)
{
    static const chx_runtime_options none;
    chx_runtime seed = {.options = none, .platform = platform_from_env()};
    if (!trace_open(state.runtimes != NULL ? state.runtimes : &seed, given))
        return false;
    switch_all(true);
    return true;
}

// The lock is held. Sessions that are traced go on without.
static void switch_off(void)
{
    switch_all(false);
    trace_close();
}

static void warn(const char *format, const char *what, const char *why)
{
    const char *unknown;
    if (log_level_from_env(&unknown) <= CHX_LOG_WARN)
        fprintf(stderr, format, what, why);
}

chx_status chx_trace_start(const char *path)
{
    pthread_mutex_lock(&state.lock);
    bool is_on = switch_on(path);
    int error = errno;
    pthread_mutex_unlock(&state.lock);
    errno = error;
    return is_on ? CHX_OK : CHX_INVALID;
}

void chx_trace_stop(void)
{
    pthread_mutex_lock(&state.lock);
    if (state.is_on)
        switch_off();
    pthread_mutex_unlock(&state.lock);
}

// ---- the signal ----

static void signal_came(int number)
{
    (void)number;
    int error = errno;
    sem_post(&state.asked);
    errno = error;
}

// The first trace has the name that was given, the others a number behind it: those before stay.
static void toggle(const char *given)
{
    char path[PATH_MAX];
    const char *values = strstr(given, ",values");
    size_t length = values != NULL && values[7] == '\0' ? (size_t)(values - given) : strlen(given);
    pthread_mutex_lock(&state.lock);
    if (state.is_on) {
        switch_off();
    } else {
        if (++state.count == 1)
            snprintf(path, sizeof path, "%s", given);
        else
            snprintf(path, sizeof path, "%.*s.%u%s", (int)length, given, state.count, given + length);
        if (!switch_on(path))
            warn("chorex: warn: CHOREX_TRACE: %s can't be written: %s\n", path, strerror(errno));
    }
    pthread_mutex_unlock(&state.lock);
}

// A handler may not open files: it asks this thread, which lives as long as the process.
static void *switch_thread(void *given)
{
    for (;;)
        if (sem_wait(&state.asked) == 0)
            toggle(given);
    return NULL;
}

static int signal_number(const char *name)
{
    if (strcmp(name, "USR1") == 0)
        return SIGUSR1;
    if (strcmp(name, "USR2") == 0)
        return SIGUSR2;
    return 0;
}

static bool start_thread(const char *given)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_good =
        sem_init(&state.asked, 0, 0) == 0 && pthread_create(&thread, NULL, switch_thread, (void *)given) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_good && pthread_detach(thread) == 0;
}

static void take_signal(const char *name, const char *given)
{
    static char kept[PATH_MAX]; // for the thread
    struct sigaction action = {.sa_handler = signal_came, .sa_flags = SA_RESTART}, before;
    int number = signal_number(name);
    if (number == 0 || strlen(given) >= sizeof kept - 12) {
        warn("chorex: warn: CHOREX_TRACE_SIGNAL=%s: %s\n", name,
             number == 0 ? "it can be USR1 or USR2" : "CHOREX_TRACE is too long");
        return;
    }
    if (sigaction(number, NULL, &before) != 0 || (before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler != SIG_DFL) {
        warn("chorex: warn: CHOREX_TRACE_SIGNAL=%s: %s\n", name, "the program uses this signal itself");
        return;
    }
    strcpy(kept, given);
    if (!start_thread(kept) || sigaction(number, &action, NULL) != 0)
        warn("chorex: warn: CHOREX_TRACE_SIGNAL=%s: %s\n", name, "no thread can be made that waits for it");
}

// ---- runtimes ----

// The lock is held. What the environment asks for is done once.
static void obey_environment(chx_runtime *runtime)
{
    const char *given = secure_getenv("CHOREX_TRACE"), *name = secure_getenv("CHOREX_TRACE_SIGNAL");
    if (state.was_tried || given == NULL || given[0] == '\0')
        return;
    state.was_tried = true;
    if (name != NULL && name[0] != '\0' && !runtime->platform->is_simulated)
        take_signal(name, given);
    else if (trace_is_open()) // the process of an isolated role, which goes on with the program's
        switch_all(true);
    else if (!switch_on(given))
        log_write(runtime, CHX_LOG_WARN, "CHOREX_TRACE: %s can't be written: %s", given, strerror(errno));
}

// A forked child has no thread that waits for the signal, does not write to its parent's file, and nobody knows who held the lock.
static void forget_parent(void)
{
    pthread_mutex_init(&state.lock, NULL);
    state.runtimes = NULL;
    state.is_on = false;
}

void trace_know(chx_runtime *runtime)
{
    pthread_mutex_lock(&state.lock);
    if (!state.watches_forks)
        state.watches_forks = pthread_atfork(NULL, NULL, forget_parent) == 0;
    runtime->next_known = state.runtimes;
    state.runtimes = runtime;
    if (state.is_on)
        atomic_fetch_or(&runtime->observed, OBSERVED_TRACE);
    obey_environment(runtime);
    pthread_mutex_unlock(&state.lock);
}

void trace_forget(chx_runtime *runtime)
{
    pthread_mutex_lock(&state.lock);
    chx_runtime **link = &state.runtimes;
    while (*link != NULL && *link != runtime)
        link = &(*link)->next_known;
    if (*link != NULL)
        *link = runtime->next_known;
    pthread_mutex_unlock(&state.lock);
}
