// guard.c: where failures of roles' code go: the only place that jumps out of it.

#include "runtime/actor/actor.h"
#include "runtime/actor/elsewhere.h"

#include "base/check.h"
#include "runtime/isolation/isolation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Thread_local Current this_thread;

bool fault_add(Fault *fault, const char *what)
{
    char why[REPORT_WHY_SIZE];
    snprintf(why, sizeof why, "%.400s (%s)", fault->why, what);
    memcpy(fault->why, why, sizeof why);
    return false;
}

bool guard_run(Guard *guard, Actor *actor, void (*run)(void *closure), void *closure)
{
    volatile bool has_returned = false;
    Current *here = current();
    guard->outer = here->guard;
    guard->outer_actor = here->actor;
    guard->outer_busy = here->busy;
    guard->outer_unpooled = here->unpooled;
    here->guard = guard;
    here->actor = actor;
    here->busy = here->unpooled = 0;
    if (sigsetjmp(guard->jump, 0) == 0) {
        run(closure);
        has_returned = true;
    } else {
        // Until the guard is left: a signal in what follows, on the last bytes of a stack for instance, would lead here again.
        here->busy++;
        if (here->actor != NULL)
            isolation_thread_recover(here->actor, &guard->fault);
    }
    CHECK(here->guard == guard);
    guard->actor = here->actor;
    here->guard = guard->outer;
    here->actor = guard->outer_actor;
    here->busy = guard->outer_busy;
    here->unpooled = guard->outer_unpooled;
    return has_returned;
}

typedef struct {
    void (*run)(void *closure);
    void *closure;
} Inside;

static void run_inside(void *closure)
{
    const Inside *inside = closure;
    Current *here = current();
    here->busy = here->guard->outer_busy;
    here->unpooled = here->guard->outer_unpooled;
    inside->run(inside->closure);
}

bool guard_run_inside(void (*run)(void *closure), void *closure, Fault *fault)
{
    Guard guard;
    if (current()->guard == NULL) {
        run(closure);
        return true;
    }
    if (guard_run(&guard, current()->actor, run_inside, &(Inside){run, closure}))
        return true;
    *fault = guard.fault;
    return false;
}

void guard_jump(Guard *guard)
{
    Current *here = current();
    here->guard = guard;
    here->actor = NULL;
    siglongjmp(guard->jump, 1);
}

// The fault, in the current guard.
static Guard *guard_blame(chx_fault_kind kind, int signal, uint32_t site, const char *format, va_list arguments)
{
    Guard *guard = current()->guard;
    CHECK(guard != NULL);
    guard->fault.kind = kind;
    guard->fault.signal = signal;
    guard->fault.site = site;
    guard->fault.instruction = 0;
    // Most say it in a fixed text, which needs no formatting.
    size_t length = strcspn(format, "%");
    if (length < sizeof guard->fault.why && format[length] == '\0')
        memcpy(guard->fault.why, format, length + 1);
    else
        vsnprintf(guard->fault.why, sizeof guard->fault.why, format, arguments);
    return guard;
}

void guard_raise(chx_fault_kind kind, int signal, uint32_t site, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Guard *guard = guard_blame(kind, signal, site, format, arguments);
    va_end(arguments);
    siglongjmp(guard->jump, 1);
}

void guard_no_memory(void)
{
    const Actor *actor = current()->actor;
    // In a process of its own it is the role that is out of memory, not the program: a new process has it again.
    guard_raise(actor_is_process(actor) ? CHX_FAULT_FAIL : CHX_FAULT_SYSTEM, 0, actor->self.site, "out of memory");
}

void chx_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Actor *actor = current()->actor;
    if (actor == NULL) {
        fputs("chorex: chx_fail outside of a role: ", stderr);
        vfprintf(stderr, format, arguments);
        fputs("\n", stderr);
        abort();
    }
    Guard *guard = guard_blame(CHX_FAULT_FAIL, 0, actor->self.site, format, arguments);
    va_end(arguments);
    siglongjmp(guard->jump, 1);
}
