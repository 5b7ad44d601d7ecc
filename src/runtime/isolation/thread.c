// thread.c: thread mode: a fatal signal in a role's code is the role's failure, and what the code has changed in its thread
// is put back.
//
// The handler unwinds to the worker's guard with siglongjmp: the faulting instruction is abandoned with everything that
// the role's function had on its C stack. Signals that come from elsewhere, or hit the runtime's own code, go to
// whoever handled them before.
//
// A role's function that returns has to leave its thread as it found it, like any other function. One that is left in the
// middle can't: the floating-point environment, the mask of blocked signals and the list of cleanup handlers are put back
// for it. On a thread of the program's they are also put back when the session is over. Nothing of this is done for each
// step: the floating-point control is compared once per turn (actor_run), the rest is noted once per session and thread.

#define _GNU_SOURCE
#include "runtime/isolation/isolation.h"

#include "runtime/actor/actor.h"
#include "runtime/session/report.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    SIGNAL_COUNT = 5,
    ALTERNATE_STACK_BYTES = 65536,
    HANDLER_BYTES = 2048, // what the handler itself needs
    CHAIN_DEPTH_MAX = 16,
    STACK_RESERVE_BYTES =
        131072, // for the runtime's own part of a nested session, and the first functions of its roles
};
static const int fatal_signals[SIGNAL_COUNT] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// The process has one set of handlers, whatever the number of runtimes.
static struct {
    pthread_mutex_t lock;
    unsigned users;
    struct sigaction earlier[SIGNAL_COUNT];
    bool refused;   // a sanitizer watches this program
    sigset_t fatal; // the signals
    pthread_key_t stack_key;
    bool has_stack_key;
} handlers = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Present if the program is built with that sanitizer.
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));
extern void __hwasan_init(void) __attribute__((weak));

static bool sanitizer_is_on(void)
{
    return __asan_init != NULL || __tsan_init != NULL || __msan_init != NULL || __hwasan_init != NULL;
}

void isolation_say(const Actor *actor, const char *what, const char *more)
{
    const char *const texts[] = {"chorex: role ", actor->role->role, ": ", what, more};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ssize_t written = write(STDERR_FILENO, texts[i], strlen(texts[i]));
        (void)written;
    }
}

void isolation_signal_default(int signal)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
}

void isolation_signal_chain(int signal, siginfo_t *info, void *machine)
{
    // If a later handler chains to ours, and ours was then installed again on top of that, the two would call each other
    // without end.
    static _Thread_local volatile int depth;
    const struct sigaction *earlier = NULL;
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        if (fatal_signals[i] == signal)
            earlier = &handlers.earlier[i];
    bool is_sent = info->si_code <= 0;
    bool is_known = depth < CHAIN_DEPTH_MAX && earlier->sa_handler != SIG_DFL && earlier->sa_handler != SIG_IGN;
    if (is_known) {
        depth++;
        if ((earlier->sa_flags & SA_SIGINFO) != 0)
            earlier->sa_sigaction(signal, info, machine);
        else
            earlier->sa_handler(signal);
        depth--;
    } else if (earlier->sa_handler != SIG_IGN || !is_sent) {
        isolation_signal_default(signal);
        // A faulting instruction faults again when this returns.
        if (is_sent)
            raise(signal);
    }
}

// Where the code was interrupted; 0: not known.
static uintptr_t signal_instruction(const void *machine)
{
    const ucontext_t *context = machine;
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

static bool signal_is_for_role(int signal, const siginfo_t *info)
{
    const Current *here = current();
    // Did the code that was interrupted cause the signal? Else it was sent.
    bool is_own = info->si_code > 0 || info->si_pid == getpid();
    if (here->guard == NULL || current_is_busy() || !is_own)
        return false;
    const chx_runtime_options *options = &here->actor->session->runtime->options;
    return options->signals && !(signal == SIGABRT && options->abort_ends_program);
}

static void signal_arrives(int signal, siginfo_t *info, void *machine)
{
    Current *here = current();
    Guard *guard = here->guard;
    if (here->checks_allocator != NULL) {
        isolation_watch_allocator(signal, info, machine);
        return;
    }
    if (!signal_is_for_role(signal, info)) {
        isolation_signal_chain(signal, info, machine);
        return;
    }
    if (handlers.refused) {
        isolation_say(here->actor, report_signal_name(signal),
                      ": not made a failure of the role, because a sanitizer watches this program "
                      "(CHOREX_FORCE_SIGNALS=1 does it all the same)\n");
        isolation_signal_chain(signal, info, machine);
        return;
    }
    guard->fault.kind = CHX_FAULT_SIGNAL;
    guard->fault.signal = signal;
    guard->fault.site = here->actor->self.site;
    guard->fault.instruction = signal_instruction(machine);
    strcpy(guard->fault.why, report_signal_name(signal));
    siglongjmp(guard->jump, 1);
}

static void stack_free(void *stack)
{
    stack_t now;
    if (sigaltstack(NULL, &now) == 0 && now.ss_sp == stack) {
        stack_t none = {.ss_flags = SS_DISABLE};
        sigaltstack(&none, NULL);
    }
    free(stack);
}

void isolation_signals_acquire(chx_runtime *runtime)
{
    if (!runtime->options.signals)
        return;
    pthread_mutex_lock(&handlers.lock);
    if (!handlers.has_stack_key) {
        sigset_t fatal;
        sigemptyset(&fatal);
        for (size_t i = 0; i < SIGNAL_COUNT; i++)
            sigaddset(&fatal, fatal_signals[i]);
        handlers.fatal = fatal;
        handlers.has_stack_key = pthread_key_create(&handlers.stack_key, stack_free) == 0;
    }
    if (handlers.users++ == 0) {
        const char *forced = secure_getenv("CHOREX_FORCE_SIGNALS");
        handlers.refused = sanitizer_is_on() && (forced == NULL || strcmp(forced, "1") != 0);
    }
    // NODEFER: the handler does not return in order, so nothing would unblock the signal.
    struct sigaction now, action = {.sa_sigaction = signal_arrives, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    // Also for a later runtime: the program may have set other handlers since.
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        if (sigaction(fatal_signals[i], NULL, &now) == 0 && now.sa_sigaction != signal_arrives)
            sigaction(fatal_signals[i], &action, &handlers.earlier[i]);
    pthread_mutex_unlock(&handlers.lock);
}

void isolation_signals_release(void)
{
    pthread_mutex_lock(&handlers.lock);
    if (--handlers.users == 0) {
        for (size_t i = 0; i < SIGNAL_COUNT; i++) {
            struct sigaction now;
            // A handler that the program has installed since then stays.
            if (sigaction(fatal_signals[i], NULL, &now) == 0 && now.sa_sigaction == signal_arrives)
                sigaction(fatal_signals[i], &handlers.earlier[i], NULL);
        }
    }
    pthread_mutex_unlock(&handlers.lock);
}

// The thread gets a stack to handle signals on. It keeps one that the program has given it, unless not even the registers
// fit into that.
static void thread_prepare(void)
{
    static _Thread_local bool prepared;
    if (prepared)
        return;
    prepared = true;
    stack_t now;
    if (!handlers.has_stack_key || sigaltstack(NULL, &now) != 0)
        return;
    size_t registers = (size_t)getauxval(AT_MINSIGSTKSZ); // what the processor's registers take up; 0: not known
    if ((now.ss_flags & SS_DISABLE) == 0 && now.ss_size >= registers + HANDLER_BYTES)
        return;
    size_t size = registers + ALTERNATE_STACK_BYTES;
    stack_t stack = {.ss_sp = malloc(size), .ss_size = size};
    if (stack.ss_sp == NULL)
        return;
    if (sigaltstack(&stack, NULL) != 0 || pthread_setspecific(handlers.stack_key, stack.ss_sp) != 0) {
        sigaltstack(&now, NULL);
        free(stack.ss_sp);
    }
}

// Prepares the thread for signals. `mask` is set to what was blocked; true: some of the fatal signals were.
static bool thread_unblock(sigset_t *mask)
{
    thread_prepare();
    // The kernel ends a program in which one of these is caused by an instruction while it is blocked.
    pthread_sigmask(SIG_UNBLOCK, &handlers.fatal, mask);
    // The first signals are in the first bytes, and usually none of them is blocked.
    uint64_t blocked, fatal;
    memcpy(&blocked, mask, sizeof blocked);
    memcpy(&fatal, &handlers.fatal, sizeof fatal);
    return (blocked & fatal) != 0;
}

// Thread-specific data of the main thread is not released by the C library.
static void __attribute__((destructor)) stack_free_at_exit(void)
{
    if (!handlers.has_stack_key)
        return;
    void *stack = pthread_getspecific(handlers.stack_key);
    if (stack != NULL) {
        pthread_setspecific(handlers.stack_key, NULL);
        stack_free(stack);
    }
}

// ---- what roles' code may have changed ----

// A function that is left in the middle leaves the cleanup handlers behind that it has pushed (pthread_cleanup_push), with
// its frame gone. The C library does not tell where its list begins, but registering an entry notes that in the entry, and
// unregistering the entry makes the list begin there again.
static void cleanups_restore(ThreadState *state)
{
#ifdef HAS_CLEANUP_LIST
    __pthread_unregister_cancel(&state->cleanups);
#else
    (void)state;
#endif
}

void isolation_thread_enter(chx_runtime *runtime, ThreadState *state)
{
    Current *here = current();
    state->outer = here->thread;
    state->has_failed = false;
    state->handles_signals = runtime->options.signals && !handlers.refused;
    state->has_unblocked = state->handles_signals && thread_unblock(&state->mask);
    state->float_control = float_control();
    state->float_flags = float_flags();
#ifdef HAS_CLEANUP_LIST
    __pthread_register_cancel(&state->cleanups);
#endif
    cleanups_restore(state);
    here->thread = state;
}

void isolation_thread_leave(ThreadState *state)
{
    current()->thread = state->outer;
    if (state->has_unblocked || (state->has_failed && state->handles_signals))
        pthread_sigmask(SIG_SETMASK, &state->mask, NULL);
    if (state->has_failed)
        float_set(state->float_control, state->float_flags);
    else
        float_use(state->float_control);
}

void isolation_thread_recover(Actor *actor, const Fault *fault)
{
    Current *here = current();
    ThreadState *state = here->thread;
    // A turn begins with this anyway, and one whose step is to be begun again has ended.
    if (fault->kind != FAULT_AGAIN)
        float_use(actor->session->float_control);
    if (state != NULL) {
        state->has_failed = true;
        cleanups_restore(state);
    }
    if (fault->kind != CHX_FAULT_SIGNAL)
        return;
    if (state != NULL && state->handles_signals) {
        sigset_t left;
        pthread_sigmask(SIG_SETMASK, &state->mask, NULL);
        thread_unblock(&left);
    }
    isolation_check_allocator(actor, fault);
}

bool isolation_stack_is_short(void)
{
    static _Thread_local uintptr_t lowest;
    static _Thread_local size_t size;
    if (size == 0) {
        pthread_attr_t attributes;
        void *address = NULL;
        if (pthread_getattr_np(pthread_self(), &attributes) != 0)
            return false;
        if (pthread_attr_getstack(&attributes, &address, &size) != 0)
            size = 0;
        pthread_attr_destroy(&attributes);
        lowest = (uintptr_t)address;
    }
    uintptr_t now = (uintptr_t)__builtin_frame_address(0);
    size_t reserve = size / 4 < STACK_RESERVE_BYTES ? size / 4 : STACK_RESERVE_BYTES;
    // A function may also run on a stack that it has made itself.
    return now >= lowest && now - lowest < reserve;
}
