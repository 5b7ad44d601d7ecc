// allocator.c: is the memory allocator usable after a fatal signal?
//
// The C library aborts a program in which it finds damaged memory, usually in the middle of malloc or free and with its own
// locks held; a damaged list can also make it crash there. Leaving the role's function does not release those locks: from
// then on a thread that allocates or releases memory may wait for ever, this thread first of all. That can't be repaired. What can
// be done is to find it out: after a signal that may have come from the allocator every lock of it is taken once, while a
// timer interrupts this thread from time to time. If that does not succeed, the program ends and says why.

#define _GNU_SOURCE
#include "runtime/isolation/isolation.h"

#include "runtime/session/runtime.h"
#include "runtime/session/session.h"

#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    // More than the C library keeps for each thread, and less than what it asks of the system for each single block.
    PROBE_BYTES = 20000,
    // The timer looks at such intervals whether the check goes on.
    INTERVAL_NS = 250000000,
    // After so many without progress it has failed. Not one long interval: the whole program may have been stopped for a
    // while.
    BLOCKED_INTERVALS_MAX = 6,
    // After so many with progress, too: a damaged list may go in circles.
    INTERVALS_MAX = 120,
};

// The check that this thread makes.
static _Thread_local struct {
    volatile unsigned intervals, blocked_intervals;
    volatile uint64_t cpu_ns;
} check;

static uint64_t thread_cpu_ns(void)
{
    struct timespec used;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0)
        return 0;
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

// ---- is it worth a check? ----

typedef struct {
    uintptr_t instruction, allocate, release;
    bool is_allocators;
} Instruction;

// For one object, which is the program or a library: ends the search if the instruction lies in it.
static int object_look(struct dl_phdr_info *info, size_t size, void *argument)
{
    Instruction *about = argument;
    bool has_instruction = false, has_allocator = false;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD)
            continue;
        uintptr_t begin = (uintptr_t)(info->dlpi_addr + part->p_vaddr);
        has_instruction |= about->instruction - begin < part->p_memsz;
        has_allocator |= about->allocate - begin < part->p_memsz || about->release - begin < part->p_memsz;
    }
    about->is_allocators = has_instruction && has_allocator;
    return has_instruction;
}

// Is it code of the library, or of the program, that malloc or free is part of?
static bool instruction_is_allocators(uintptr_t instruction)
{
    Instruction about = {instruction, (uintptr_t)malloc, (uintptr_t)free, false};
    dl_iterate_phdr(object_look, &about);
    return about.is_allocators;
}

// ---- the check ----

// Its signal goes to this thread alone. Returns its number; -1: it can't be had.
static int timer_begin(void)
{
    int timer = -1;
    struct itimerspec times = {{0, INTERVAL_NS}, {0, INTERVAL_NS}};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGABRT};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    // Not timer_create, which allocates memory.
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) != 0)
        return -1;
    syscall(SYS_timer_settime, timer, 0, &times, NULL);
    return timer;
}

static void allocator_use(chx_runtime *runtime)
{
    // Through a pointer that the compiler does not see through: it would leave out both calls.
    void *volatile memory = malloc(PROBE_BYTES);
    free(memory);
    if (runtime->options.allocate != NULL) {
        memory = runtime_allocate(runtime, 1);
        if (memory != NULL)
            runtime_release(runtime, memory);
    }
#ifdef __GLIBC__
    // It has several heaps, with a lock each, and takes them all to count what they hold.
#if __GLIBC_PREREQ(2, 33)
    struct mallinfo2 volatile counted = mallinfo2();
#else
    struct mallinfo volatile counted = mallinfo();
#endif
    (void)counted;
#endif
}

void isolation_check_allocator(Actor *actor, const Fault *fault)
{
    if (fault->signal != SIGABRT && !instruction_is_allocators(fault->instruction))
        return;
    Current *here = current();
    here->busy++;
    check.intervals = check.blocked_intervals = 0;
    check.cpu_ns = thread_cpu_ns();
    here->checks_allocator = actor;
    int timer = timer_begin();
    allocator_use(actor->session->runtime);
    if (timer >= 0)
        syscall(SYS_timer_delete, timer);
    here->checks_allocator = NULL;
    here->busy--;
}

// ---- in the signal handler ----

// The timer has interrupted the check: has that made no progress for too long, or not come to an end?
static bool check_is_stuck(void)
{
    uint64_t cpu_ns = thread_cpu_ns();
    check.blocked_intervals = cpu_ns - check.cpu_ns < INTERVAL_NS / 16 ? check.blocked_intervals + 1 : 0;
    check.cpu_ns = cpu_ns;
    return check.blocked_intervals >= BLOCKED_INTERVALS_MAX || ++check.intervals >= INTERVALS_MAX;
}

void isolation_watch_allocator(int signal, siginfo_t *info, void *machine)
{
    Current *here = current();
    const Actor *actor = here->checks_allocator;
    if (signal == SIGABRT && info->si_code == SI_TIMER && !check_is_stuck())
        return;
    here->checks_allocator = NULL;
    isolation_say(actor, "a fatal signal",
                  " has left the memory allocator locked or its data damaged, so that no thread can go on: the program "
                  "ends. A role in a process of its own (CHX_PROCESS) would be restarted.\n");
    isolation_signal_chain(signal, info, machine);
    isolation_signal_default(SIGABRT);
    raise(SIGABRT);
    _exit(128 + SIGABRT);
}
