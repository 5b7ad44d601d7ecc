// thread_state.c: what roles' code may change in the thread that runs it, and how it is put back.
//
// A role's function that returns has to leave its thread as it found it, like any other function. One that is left in the
// middle can't: the floating-point environment, the mask of blocked signals and the list of cleanup handlers are put back
// for it. On a thread of the program's they are also put back when the session is over. Nothing of this is done for each
// step: the floating-point control is compared once per turn (actor_run), the rest is noted once per session and thread.

#define _GNU_SOURCE
#include "runtime/isolation/isolation.h"

#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

// For the runtime's own part of a nested session, and the first functions of its roles.
enum { STACK_RESERVE_BYTES = 131072 };

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
    state->handles_signals = isolation_handles_signals(runtime);
    state->has_unblocked = state->handles_signals && isolation_thread_prepare(&state->mask);
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
        isolation_thread_prepare(&left);
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
